"""Means over few or unequal clusters: the CR2 variance and its degrees of freedom."""

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def cluster_contributions(sums: Floats, sizes: Floats) -> Floats:
    """Contribution of each cluster to a mean's error; the sum of squares is the CR2 variance.

    A large cluster pulls the mean towards itself, so its own deviations are too small. CR2 rescales them,
    which makes the variance unbiased for independent items.

    Formula: s_c / (n sqrt(1 - h_c)), where s_c is the sum of the cluster's deviations from the mean of all
        n items and h_c the cluster's share of the items
    Source: Bell and McCaffrey (2002), Bias Reduction in Standard Errors for Linear Regression with
        Multi-Stage Samples.

    Args:
        sums: per cluster the sum of its items' deviations from the mean.
        sizes: per cluster its number of items, possibly 0. No cluster may have all items.

    >>> cluster_contributions(np.array([-2.0, 2.0]), np.array([2.0, 2.0])).round(4).tolist()
    [-0.7071, 0.7071]
    """
    items = sizes.sum()
    return np.asarray(sums / (items * np.sqrt(1 - sizes / items)), dtype=np.float64)


def bell_mccaffrey(*groups: Floats) -> float:
    """Degrees of freedom of the CR2 variance of a mean, or of a contrast of means of disjoint items.

    They depend on the sizes only: C - 1 for C equal clusters, and far fewer if one cluster dominates.

    Formula: tr(M)^2 / tr(M^2), where M is the covariance of the clusters' contributions for independent
        items of equal variance: M_cd = sum over groups of ([c = d] h_c - b_c b_d + [c = d] b_c^2) / n
        with shares h_c of the group's n items and b_c = h_c / sqrt(1 - h_c)
    Source: Bell and McCaffrey (2002); Imbens and Kolesar (2016), Robust Standard Errors in Small Samples.

    Args:
        groups: per group of items (one for a mean, two for a difference of two means) the number of its
            items in each cluster.

    Returns:
        The degrees of freedom; NaN if one cluster has all items of a group.

    >>> bell_mccaffrey(np.full(12, 5.0)).__round__(6)
    11.0
    >>> bell_mccaffrey(np.array([200.0] + [5.0] * 11)).__round__(2)
    1.55
    """
    counts = [float(sizes.sum()) for sizes in groups]
    shares = np.stack([sizes / count for sizes, count in zip(groups, counts, strict=True)])
    if (shares >= 1).any():
        return math.nan
    pulls = shares / np.sqrt(1 - shares)
    inverse = 1 / np.array(counts)
    diagonal = inverse @ shares
    products = (pulls @ pulls.T) ** 2
    outer = float(inverse @ products @ inverse) - float(np.square(inverse @ pulls**2).sum())
    return float(inverse.sum()) ** 2 / (float(diagonal @ diagonal) + outer)
