//go:build !js

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// sbatch stands for Slurm: it runs an array's tasks as processes, sends the first one what --signal=B:USR1 sends, and
// the second what scancel sends, and runs anew what scontrol asks for.
const sbatch = `#!/bin/bash
set -u
last=${1#--array=0-} script=$2
task() {
	SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_STEP=1 \
		SLURM_ARRAY_TASK_COUNT=$((last + 1)) exec bash "$script"
}
signal() {
	while [ ! -s "$OUT/cells/$3/metrics.jsonl" ] && kill -0 "$2"; do sleep 0.01; done
	kill "-$1" "$2"
}
for i in $(seq 0 "$last"); do
	task "$i" &
	tasks[$i]=$!
done
signal USR1 "${tasks[0]}" parity-csp-1 &
signal TERM "${tasks[1]}" parity-mha-csp-1 &
for i in "${!tasks[@]}"; do
	wait "${tasks[$i]}"
	echo "task $i ended with $?"
done
for again in $(cat requeued 2>/dev/null); do
	(task "${again#7_}")
	echo "task $again ended with $?"
done
`

// TestSlurm: the array script does all shares; a task whose time is over is queued again and goes on, one that is
// cancelled stays so.
func TestSlurm(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("needs bash")
	}
	script, err := filepath.Abs("cluster/slurm.sh")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(bash, "-n", script).CombinedOutput(); err != nil {
		t.Fatalf("bash -n: %v\n%s", err, out)
	}
	p := newPlace(t)
	p.tinyPlan(1500)
	p.write("sbatch", sbatch)
	p.write("scontrol", "#!/bin/bash\n[ \"$1\" = requeue ] && echo \"$2\" >> requeued\n")
	for _, name := range []string{"sbatch", "scontrol"} {
		if err := os.Chmod(p.path(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(bash, "sbatch", "--array=0-2", script)
	c.Dir = p.dir
	c.Env = append(os.Environ(), "PATH="+p.dir+":"+os.Getenv("PATH"), "OUT=study", "MHACSP="+binary(),
		"ARGS=--plan plan.json --jobs 1 --backend cpu")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	for _, want := range []string{
		"task 0 ended with 75\n", "task 1 ended with 75\n", "task 2 ended with 0\n", "task 7_0 ended with 0\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in what sbatch prints:\n%s", want, text)
		}
	}
	if strings.Contains(text, "task 7_1") {
		t.Errorf("a task that was cancelled is queued again:\n%s", text)
	}
	if r := p.reported("study"); r.Counts.Whole != 3 || r.Counts.Half != 1 {
		t.Errorf("%+v\n%s", r.Counts, text)
	}
	c = exec.Command(bash, script)
	c.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_MIN=1", "SLURM_ARRAY_TASK_COUNT=2")
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "must be 0-N") {
		t.Errorf("an array from 1 on: %v, %s", err, out)
	}
}

// job is what of the Job matters here.
type job struct {
	Kind, APIVersion string
	Spec             struct {
		CompletionMode                                                        string
		Completions, Parallelism, BackoffLimitPerIndex, ActiveDeadlineSeconds int
		PodFailurePolicy                                                      struct {
			Rules []struct {
				Action      string
				OnExitCodes *struct {
					ContainerName, Operator string
					Values                  []int
				}
			}
		}
		Template struct {
			Spec struct {
				RestartPolicy                 string
				TerminationGracePeriodSeconds int
				Containers                    []struct {
					Name          string
					Command, Args []string
				}
			}
		}
	}
}

// TestKubernetes: the Job has no key that Kubernetes' own types do not have, its parts fit together, and what its pods
// call does the shares.
func TestKubernetes(t *testing.T) {
	var errs strings.Builder
	check := func(args ...string) ([]byte, error) {
		c := exec.Command("go", args...)
		c.Dir, c.Stderr = "cluster/check", &errs
		c.Env = append(os.Environ(), "GOFLAGS=", "GOEXPERIMENT=")
		return c.Output()
	}
	if _, err := check("mod", "download"); err != nil && os.Getenv("CI") != "true" {
		t.Skipf("Kubernetes' types are not in Go's module cache, and cannot be had: %s", errs.String())
	}
	text, err := check("run", ".", "../kubernetes.yaml")
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	var j job
	if err := json.Unmarshal(text, &j); err != nil {
		t.Fatal(err)
	}
	s := j.Spec
	pod := s.Template.Spec
	if j.Kind != "Job" || j.APIVersion != "batch/v1" || s.CompletionMode != "Indexed" || s.Completions != 8 ||
		s.Parallelism != s.Completions || s.BackoffLimitPerIndex < 1 || pod.RestartPolicy != "Never" ||
		pod.TerminationGracePeriodSeconds < 10 || len(pod.Containers) != 1 {
		t.Fatalf("%+v", j)
	}
	box := pod.Containers[0]
	actions := map[int]string{}
	for _, r := range s.PodFailurePolicy.Rules {
		if x := r.OnExitCodes; x != nil {
			if x.ContainerName != box.Name || x.Operator != "In" {
				t.Errorf("%+v", x)
			}
			for _, code := range x.Values {
				actions[code] = r.Action
			}
		}
	}
	if actions[codePreempted] != "Ignore" || actions[codeUser] != "FailIndex" || len(actions) != 2 {
		t.Errorf("exit codes are taken as %v", actions)
	}
	if !slices.Equal(box.Command, []string{"mhacsp"}) || !slices.Contains(box.Args, "$(JOB_COMPLETION_INDEX)/8") {
		t.Fatalf("a pod calls %v %v", box.Command, box.Args)
	}
	p := newPlace(t)
	p.tinyPlan(4)
	for _, index := range []string{"0", "1", "2", "3", "7"} { // of four cells the last shares have none
		var args []string
		for _, a := range box.Args {
			args = append(args, strings.NewReplacer("$(JOB_COMPLETION_INDEX)", index, "/study", "study").Replace(a))
		}
		p.ok(append(args, "--plan", "plan.json", "--backend", "cpu")...)
	}
	if r := p.reported("study"); r.Counts.Whole != 4 {
		t.Errorf("%+v", r.Counts)
	}
}
