# What type checkers see of this package; written by scripts/write_components.py.

from thresher.judges import (
    Flow as Flow,
    JudgeVerdict as JudgeVerdict,
    Prompt as Prompt,
    Rating as Rating,
    Texts as Texts,
    Unanswered as Unanswered,
    Verdicts as Verdicts,
    answered as answered,
    extract as extract,
    judge_each as judge_each,
    prompt as prompt,
    rate as rate,
    together as together,
)
from thresher.judges.claim_verdicts import ClaimVerdicts as ClaimVerdicts
from thresher.judges.prompt import numbered as numbered
from thresher.kernels.detection.matches import DetectionMatches as DetectionMatches
from thresher.kernels.retrieval.ranked_gains import RankedGains as RankedGains
from thresher.metrics.claims import ClaimMetric as ClaimMetric, claim_evidence as claim_evidence
from thresher.metrics.classification.items import (
    ClassifiedItems as ClassifiedItems,
    Unlabelled as Unlabelled,
    pick_columns as pick_columns,
)
from thresher.metrics.classification.label_metric import (
    LabelMetric as LabelMetric,
    PredictedLabels as PredictedLabels,
    PredictedScores as PredictedScores,
    TrueLabels as TrueLabels,
)
from thresher.metrics.conversations import Turns as Turns
from thresher.metrics.declaration import (
    declared as declared,
    metric as metric,
    metric_outputs as metric_outputs,
)
from thresher.metrics.detection import (
    ImageObjects as ImageObjects,
    IouThreshold as IouThreshold,
    MatchingRule as MatchingRule,
    detection_measure as detection_measure,
    detection_outputs as detection_outputs,
    read_matches as read_matches,
)
from thresher.metrics.embeddings import Embeddings as Embeddings
from thresher.metrics.extra_measures import ExtraMeasure as ExtraMeasure
from thresher.metrics.functions import column_metric as column_metric, item_metric as item_metric
from thresher.metrics.inputs import (
    ReferenceColumn as ReferenceColumn,
    TextColumn as TextColumn,
    TextListColumn as TextListColumn,
    chosen_columns as chosen_columns,
    column_type as column_type,
    read_inputs as read_inputs,
    read_text as read_text,
    read_texts as read_texts,
    text_column_type as text_column_type,
)
from thresher.metrics.items import (
    CompleteColumn as CompleteColumn,
    Items as Items,
    outputs as outputs,
    settings as settings,
)
from thresher.metrics.judge_job import JudgeJob as JudgeJob, JudgedItem as JudgedItem
from thresher.metrics.judging import (
    JudgedMetric as JudgedMetric,
    combine_references as combine_references,
    count_label as count_label,
    judged as judged,
    judged_async as judged_async,
    run_job as run_job,
    run_job_async as run_job_async,
    score_by_policy as score_by_policy,
    verdict_evidence as verdict_evidence,
)
from thresher.metrics.matched_objects import MatchedObjects as MatchedObjects, match_objects as match_objects
from thresher.metrics.material import ShownSocket as ShownSocket, item_material as item_material
from thresher.metrics.models import model_description as model_description, model_dict as model_dict
from thresher.metrics.options import (
    BestOrMean as BestOrMean,
    Condition as Condition,
    Count as Count,
    FiniteNumber as FiniteNumber,
    MinGrade as MinGrade,
    NonNegative as NonNegative,
    Normalization as Normalization,
    Positive as Positive,
    PositiveCount as PositiveCount,
    ScoreThresholds as ScoreThresholds,
    Share as Share,
    ShareOrNone as ShareOrNone,
    Text as Text,
    Thresholds as Thresholds,
    TopK as TopK,
    UNDEFINED_SCORES as UNDEFINED_SCORES,
    Undefined as Undefined,
    ZeroOrOne as ZeroOrOne,
    ZeroOrSkip as ZeroOrSkip,
    above as above,
    at_least as at_least,
    between as between,
    check_option as check_option,
    distinct as distinct,
    document_field as document_field,
    finite as finite,
    not_blank as not_blank,
    not_empty as not_empty,
    one_of as one_of,
    rising as rising,
)
from thresher.metrics.pair_scores import PairScores as PairScores
from thresher.metrics.pairwise.ballots import (
    Ballot as Ballot,
    CONSISTENCY as CONSISTENCY,
    tally as tally,
    winner as winner,
)
from thresher.metrics.pairwise.pairs import Pair as Pair, read_pairs as read_pairs
from thresher.metrics.retrieval.documents import DocumentReader as DocumentReader
from thresher.metrics.retrieval.ranking_metric import (
    ComparedField as ComparedField,
    DocumentLists as DocumentLists,
    RankingMetric as RankingMetric,
)
from thresher.metrics.text_pairs import TextPairs as TextPairs
from thresher.metrics.tool_calls import (
    Conversations as Conversations,
    ExpectedCalls as ExpectedCalls,
    ToolCallMetric as ToolCallMetric,
    ToolCallPairs as ToolCallPairs,
)
from thresher.results import (
    Breakdown as Breakdown,
    Direction as Direction,
    Mean as Mean,
    Measure as Measure,
    MetricResult as MetricResult,
    Quantile as Quantile,
    Ragged as Ragged,
    RatioOfSums as RatioOfSums,
    Reduction as Reduction,
    Signature as Signature,
    Statistics as Statistics,
    Status as Status,
    SumReduction as SumReduction,
    ValorMetric as ValorMetric,
)
