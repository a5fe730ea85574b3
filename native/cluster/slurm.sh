#!/bin/bash
# The study of the paper as a Slurm array, one share of its cells a task (`mhacsp tables --help`). With COMMAND=sweep
# and ARGS='--vary KEY=VALUES ...' it is a sweep (`mhacsp sweep --help`):
#
#   OUT=/shared/study sbatch --array=0-7 native/cluster/slurm.sh
#   mhacsp tables --report --out /shared/study # once, at the end: the report of all shares
#
# OUT is the study's folder, on a disk that all tasks see, or one of its own a task, as in OUT='/scratch/study-%a',
# where %a is the task's number: copy their cells/ into one of them before the report. MHACSP is the program. ARGS are
# more flags of `mhacsp tables`, the same in all tasks: it is cut at blanks. Tasks compute on the CPU, also on a node
# with a GPU; ARGS='--backend gpu' changes that.
#
# To go on from an earlier pass: ARGS='--records /shared/records', where all tasks may write. Shares are of the whole
# plan, so that what is left of it is spread unevenly.
#
# The same command goes on: finished cells are kept. The array is all shares, 0-N; single ones, those that failed say,
# need the number of all:
#
#   OUT=/shared/study SHARES=8 sbatch --array=3,5 native/cluster/slurm.sh
#
# A task that is stopped writes checkpoints. USR1 comes a minute before the time limit, and the script then queues the
# task again; likewise where the program asks for it, since another process is at a cell. TERM comes of scancel too, so
# nothing follows on it: a task that gives way to another job is queued again by Slurm itself, where the cluster's
# PreemptMode is REQUEUE.
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
out=${OUT:?is not set: OUT=/shared/study sbatch ...; where SBATCH_EXPORT is NONE also sbatch --export=ALL ...}
of=${SHARES:-$SLURM_ARRAY_TASK_COUNT}
if [ -z "${SHARES:-}" ] && [ "$SLURM_ARRAY_TASK_MIN-$((SLURM_ARRAY_TASK_MAX + 1))" != "0-$of" ]; then
	echo "slurm.sh: this array is not 0-N without gaps, as in --array=0-15, so it does not tell how many shares" \
		"there are; say it, as in SHARES=16 sbatch --array=3,5 ..." >&2
	exit 2
fi
export GOMAXPROCS=${SLURM_CPUS_PER_TASK:-2} # the program sees all cores of the node where nothing confines it
# shellcheck disable=SC2086 # ARGS is several words
"${MHACSP:-bin/mhacsp}" "${COMMAND:-tables}" --shard "$task/$of" --out "${out//%a/$task}" --backend cpu ${ARGS:-} &
child=$! first=
trap 'first=${first:-TERM}; kill -TERM "$child"' TERM
trap 'first=${first:-USR1}; kill -TERM "$child"' USR1
wait "$child"
code=$?
while kill -0 "$child" 2>/dev/null; do # the signal ended the wait, not the program
	wait "$child"
	code=$?
done
if [ "$code" = 75 ] && [ "$first" != TERM ]; then
	scontrol requeue "${SLURM_ARRAY_JOB_ID}_$task"
fi
exit "$code"
