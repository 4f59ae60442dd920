"""Write the YAML files of the shipped recipes: python scripts/write_recipes.py."""

from pathlib import Path

from thresher.pipelines.library import built_recipe_text, recipe_names

FOLDER = Path(__file__).parent.parent / "src" / "thresher" / "pipelines" / "recipes"

if __name__ == "__main__":
    for name in recipe_names():
        (FOLDER / f"{name}.yaml").write_text(built_recipe_text(name), encoding="utf-8")
