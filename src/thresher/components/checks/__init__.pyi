# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components.checks.citation_precision import (
    CitationPrecisionEvaluator as CitationPrecisionEvaluator,
)
from thresher.components.checks.citation_recall import CitationRecallEvaluator as CitationRecallEvaluator
from thresher.components.checks.json_schema import JsonSchemaEvaluator as JsonSchemaEvaluator
from thresher.components.checks.json_valid import JsonValidEvaluator as JsonValidEvaluator
from thresher.components.checks.language_match import LanguageMatchEvaluator as LanguageMatchEvaluator
from thresher.components.checks.refusal import RefusalEvaluator as RefusalEvaluator
from thresher.components.checks.sql_form import SqlFormEvaluator as SqlFormEvaluator
from thresher.components.checks.sql_rows import SqlRowsEvaluator as SqlRowsEvaluator
from thresher.components.checks.text_conditions import TextConditionsEvaluator as TextConditionsEvaluator
from thresher.components.checks.text_length import TextLengthEvaluator as TextLengthEvaluator
