#!/bin/bash
# The study of the paper as a Slurm array, one share of its cells a task (`mhacsp tables --help`):
#
#   OUT=/shared/study sbatch --array=0-15 native/cluster/slurm.sh
#
# OUT is the study's folder, on a disk that all tasks see, or one of its own a task, as in OUT='/scratch/study-%a',
# where %a is the task's number; then `mhacsp tables --merge` joins them. MHACSP is the program. ARGS are more flags of
# `mhacsp tables`, the same in all tasks: it is cut at blanks.
#
# A task that is stopped writes checkpoints. USR1 comes a minute before the time limit, and the script then queues the
# task again. TERM comes of scancel too, so nothing follows on it: a task that gives way to another job is queued again
# by Slurm itself, where the cluster's PreemptMode is REQUEUE.
#SBATCH --job-name=mhacsp-tables
#SBATCH --array=0-7
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR1@60
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=mhacsp-%A-%a.log
set -u
task=${SLURM_ARRAY_TASK_ID:?is not set: submit this script with sbatch}
if [ "${SLURM_ARRAY_TASK_MIN:-0}" != 0 ] || [ "${SLURM_ARRAY_TASK_STEP:-1}" != 1 ]; then
	echo "slurm.sh: the array must be 0-N without a step, as in --array=0-15" >&2
	exit 2
fi
out=${OUT:-runs/tables}
# shellcheck disable=SC2086 # ARGS is several words
"${MHACSP:-bin/mhacsp}" tables --shard "$task/$SLURM_ARRAY_TASK_COUNT" --out "${out//%a/$task}" ${ARGS:-} &
child=$! again=
trap 'kill -TERM "$child"' TERM
trap 'again=1; kill -TERM "$child"' USR1
wait "$child"
code=$?
while kill -0 "$child" 2>/dev/null; do # the signal ended the wait, not the program
	wait "$child"
	code=$?
done
if [ -n "$again" ] && [ "$code" = 75 ]; then
	scontrol requeue "${SLURM_ARRAY_JOB_ID}_$task"
fi
exit "$code"
