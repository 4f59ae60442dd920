#!/bin/bash
#SBATCH --job-name=thresher
#SBATCH --array=0-3
#SBATCH --cpus-per-task=1
#SBATCH --signal=TERM@60
# Each task computes every fourth chunk of one run; all tasks need the directory of --out.
# A task that is stopped or lost is submitted again: what is committed is not computed again.
set -euo pipefail
shards=${SLURM_ARRAY_TASK_COUNT:?start with sbatch}
exec thresher run "${METRICS:-qa}" --data "${DATA:?}" --out "${OUT:?}" --quiet \
  --shard "$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN + 1))/$shards" ${OPTIONS:-}
