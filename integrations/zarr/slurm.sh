#!/bin/bash
#SBATCH --array=0-31              # as many parts as you like, from 0 on
#SBATCH --gpus=1
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
#SBATCH --requeue                 # after the failure of a node; to repeat a part that failed: --array=7
# Clamps IN to OUT on a cluster: sbatch slurm.sh IN OUT --min 0 --max 1
set -euo pipefail
in=$1 out=$2
shift 2
# If Slurm hides other jobs' GPUs, ours has number 0. If not, Slurm sets one of these variables to our number.
export WGPU_CLAMP_ADAPTER=${CUDA_VISIBLE_DEVICES:-${ROCR_VISIBLE_DEVICES:-0}}
exec clamp-zarr "$in" "$out" "$@" --part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --jobs "$SLURM_CPUS_PER_TASK"
