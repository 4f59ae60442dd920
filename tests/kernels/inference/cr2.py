"""CR2 by its definition for any least-squares fit: matrices, eigenvalues, nothing shared with the kernels."""

import numpy as np
from scipy import stats


def cr2(design, outcome, clusters, contrast):
    """Estimate, standard error and Bell-McCaffrey degrees of freedom of `contrast @ coefficients`."""
    inverse = np.linalg.inv(design.T @ design)
    residuals = outcome - design @ (inverse @ design.T @ outcome)
    hat = np.eye(len(outcome)) - design @ inverse @ design.T
    weights, vectors = inverse @ contrast, []
    variance = 0.0
    for cluster in np.unique(clusters):
        rows = clusters == cluster
        values, axes = np.linalg.eigh(hat[np.ix_(rows, rows)])
        root = axes @ np.diag(1 / np.sqrt(values)) @ axes.T
        row = design[rows] @ weights
        variance += float(row @ root @ residuals[rows]) ** 2
        vectors.append(hat[:, rows] @ root @ row)
    products = np.array(vectors) @ np.array(vectors).T
    degrees = np.trace(products) ** 2 / float((products * products).sum())
    value = float(contrast @ inverse @ design.T @ outcome)
    return value, float(np.sqrt(variance)), degrees


def t_interval(value, error, degrees, level=0.95):
    half = stats.t.ppf((1 + level) / 2, degrees) * error
    return value - half, value + half
