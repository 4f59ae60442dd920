"""Recipes, the pipeline builder and the runner."""

from thresher.pipelines.builder import build
from thresher.pipelines.library import load_recipe, recipe_names
from thresher.pipelines.loading import load_pipeline
from thresher.pipelines.run_directory import open_run
from thresher.pipelines.runner import evaluate
from thresher.pipelines.saved_results import save_run

__all__ = ["build", "evaluate", "load_pipeline", "load_recipe", "open_run", "recipe_names", "save_run"]
