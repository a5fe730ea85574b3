//go:build !js

package native

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"mhacsp/native/cli"
	"mhacsp/native/nativetest"
	"mhacsp/tasks/assert"
)

// sbatch stands for Slurm: it runs an array's tasks as processes, sends the first one what --signal=B:USR1 sends, and
// the second what scancel sends, and runs again what scontrol asks for.
const sbatch = `#!/bin/bash
set -u
last=${1#--array=0-} script=$2
task() {
	SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=$last \
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
	p, script := parallelPlace(t), slurmScript(t)
	p.TinyPlan(600)
	p.program("sbatch", sbatch)
	p.program("scontrol", scontrol)
	code, text := p.bash([]string{"OUT=study", "MHACSP=" + nativetest.Binary(), "ARGS=--plan plan.json --jobs 1"},
		"sbatch", "--array=0-2", script)
	assert.Need(t, code == 0, "exit code %d\n%s", code, text)
	assert.Says(t, text, "task 0 ended with 75\n", "task 1 ended with 75\n", "task 2 ended with 0\n",
		"task 7_0 ended with 0\n")
	assert.True(t, !strings.Contains(text, "task 7_1"), "a task that was cancelled is queued again:\n%s", text)
	r := p.Reported("study")
	assert.True(t, r.Counts.Whole == 3 && r.Counts.Half == 1, "%+v\n%s", r.Counts, text)
}

// scontrol keeps what is queued again.
const scontrol = "#!/bin/bash\n[ \"$1\" = requeue ] && echo \"$2\" >> requeued\n"

// slurmScript is the script's path, where it can run.
func slurmScript(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs bash")
	}
	script := assert.Must(filepath.Abs("cluster/slurm.sh"))(t)
	output(t, exec.Command("bash", "-n", script))
	return script
}

// program writes an executable script.
func (p place) program(name, text string) {
	p.Helper()
	p.Write(name, text)
	assert.NoError(p, os.Chmod(p.Path(name), 0o755))
}

// bash runs a script there with these variables and no others, and with its programs before the system's.
func (p place) bash(variables []string, args ...string) (code int, text string) {
	p.Helper()
	c := exec.Command("bash", args...)
	c.Dir, c.Env = p.Dir, append(variables, "PATH="+p.Dir+":"+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	assert.Need(p, c.ProcessState != nil, "%v", err)
	return c.ProcessState.ExitCode(), string(out)
}

// TestSlurmCalls: what the script calls of an array, on as many cores as its tasks have; of which arrays it cannot
// tell the number of shares; and that a task is queued again when the program asks for it.
func TestSlurmCalls(t *testing.T) {
	p, script := parallelPlace(t), slurmScript(t)
	p.program("scontrol", scontrol)
	p.program("mhacsp", "#!/bin/bash\necho \"$GOMAXPROCS cores: $*\"; exit \"${CODE:-0}\"\n")
	for _, x := range []struct {
		array, more string // task, least, most, count
		code        int    // -1: one above 0, which differs between shells
		want        string
	}{
		{"0 0 0 1", "", 0, "2 cores: tables --shard 0/1 --out study --backend cpu\n"},
		{"3 0 15 16", "SLURM_CPUS_PER_TASK=4", 0, "4 cores: tables --shard 3/16 --out study --backend cpu\n"},
		{"3 0 15 16", "ARGS=--backend gpu", 0, "--backend cpu --backend gpu\n"}, // the last one counts
		{"3 3 5 2", "SHARES=16 OUT=at/s-%a", 0, "tables --shard 3/16 --out at/s-3 --backend"},
		{"3 3 5 2", "SHARES=16 COMMAND=sweep", 0, "sweep --shard 3/16 --out study --backend"},
		{"3 3 3 1", "", 2, "SHARES=16 sbatch --array=3,5"}, {"0 0 3 2", "", 2, "SHARES=16 sbatch --array=3,5"},
		{"1 1 2 2", "", 2, "SHARES=16 sbatch --array=3,5"}, {"2 0 6 4", "", 2, "SHARES=16 sbatch --array=3,5"},
		{"0 0 0 1", "OUT=", -1, "OUT=/shared/study sbatch ...; where SBATCH_EXPORT is NONE also sbatch --export=ALL"},
		{"3 0 7 8", "CODE=75", 75, "tables --shard 3/8"}, {"4 0 7 8", "CODE=2", 2, "tables --shard 4/8"},
	} {
		variables := []string{"MHACSP=mhacsp", "OUT=study", "SLURM_ARRAY_JOB_ID=7"}
		for i, value := range strings.Fields(x.array) {
			variables = append(variables, "SLURM_ARRAY_TASK_"+[]string{"ID", "MIN", "MAX", "COUNT"}[i]+"="+value)
		}
		if strings.HasPrefix(x.more, "ARGS") {
			variables = append(variables, x.more)
		} else {
			variables = append(variables, strings.Fields(x.more)...)
		}
		code, text := p.bash(variables, script)
		assert.True(t, (x.code == code || x.code < 0 && code != 0) && strings.Contains(text, x.want),
			"%s %s: exit code %d\n%s\nwant %d, %q", x.array, x.more, code, text, x.code, x.want)
	}
	assert.Is(t, string(p.Read("requeued")), "7_3\n", "queued again is")
}

// manifests reads a Job and its volume as Kubernetes' own types do.
func manifests(t *testing.T) (job, volume any) {
	var errs strings.Builder
	check := func(args ...string) ([]byte, error) {
		c := exec.Command("go", args...)
		c.Dir, c.Stderr = "cluster/check", &errs
		c.Env = append(os.Environ(), "GOFLAGS=")
		return c.Output()
	}
	if _, err := check("mod", "download"); err != nil && os.Getenv("CI") != "true" {
		t.Skipf("Kubernetes' types are not in Go's module cache, and cannot be had: %s", errs.String())
	}
	for path, into := range map[string]*any{"../kubernetes.yaml": &job, "../volume.yaml": &volume} {
		text, err := check("run", ".", path)
		assert.Need(t, err == nil, "%v\n%s", err, errs.String())
		assert.NoError(t, json.Unmarshal(text, into))
	}
	return job, volume
}

// at is what stands at a path of keys in JSON, or nil; the 0 of a list is its only item.
func at(x any, path string) any {
	for _, key := range strings.Split(path, ".") {
		switch y := x.(type) {
		case map[string]any:
			x = y[key]
		case []any:
			if key != "0" || len(y) != 1 {
				return nil
			}
			x = y[0]
		default:
			return nil
		}
	}
	return x
}

// TestKubernetes: the Job has no key that Kubernetes' own types do not have, its parts fit together, with the image
// and the volume too, and what its pods call does the shares.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	job, volume := manifests(t)
	pod := at(job, "spec.template.spec")
	box := at(pod, "containers.0")
	for _, x := range []struct {
		of   any
		path string
		want any
	}{
		{job, "kind", "Job"}, {job, "apiVersion", "batch/v1"}, {job, "spec.completionMode", "Indexed"},
		{job, "spec.completions", 8.0}, {job, "spec.parallelism", 8.0}, {pod, "restartPolicy", "Never"},
		{job, "spec.maxFailedIndexes", nil}, {job, "spec.activeDeadlineSeconds", nil},
		{box, "command", []any{"mhacsp"}}, {box, "image", "REGISTRY/mhacsp:TAG"},
		// The study's folder is a volume that all pods may write.
		{box, "volumeMounts.0.mountPath", "/study"}, {volume, "kind", "PersistentVolumeClaim"},
		{volume, "metadata.name", at(pod, "volumes.0.persistentVolumeClaim.claimName")},
		{volume, "spec.accessModes", []any{"ReadWriteMany"}},
		// What Kubernetes calls restricted.
		{pod, "securityContext.runAsNonRoot", true}, {pod, "securityContext.seccompProfile.type", "RuntimeDefault"},
		{box, "securityContext.allowPrivilegeEscalation", false},
		{box, "securityContext.capabilities.drop", []any{"ALL"}},
	} {
		assert.Is(t, at(x.of, x.path), x.want, "%s", x.path)
	}
	again, _ := at(job, "spec.backoffLimitPerIndex").(float64)
	grace, _ := at(pod, "terminationGracePeriodSeconds").(float64)
	assert.True(t, again >= 1 && grace >= 10, "tried %v times again, with %v s to end", again, grace)
	for _, id := range []string{"runAsUser", "runAsGroup", "fsGroup"} {
		got := fmt.Sprintf("%v:%[1]v", at(pod, "securityContext."+id))
		assert.Is(t, got, imageLine(t, "USER "), "the image's user and the pod's %s", id)
	}
	actions := map[any]any{}
	rules, _ := at(job, "spec.podFailurePolicy.rules").([]any)
	for _, r := range rules {
		if x := at(r, "onExitCodes"); x != nil {
			assert.True(t, at(x, "containerName") == at(box, "name") && at(x, "operator") == "In", "%+v", x)
			for _, code := range at(x, "values").([]any) {
				actions[code] = at(r, "action")
			}
		}
	}
	assert.Is(t, actions, map[any]any{float64(cli.CodePreempted): "Ignore"}, "exit codes are taken as")
	call := " " + strings.Trim(fmt.Sprint(at(box, "args")), "[]") + " "
	assert.Says(t, call, " $(JOB_COMPLETION_INDEX)/8 ", " /study ", " cpu ")
	p := newPlace(t)
	p.TinyPlan(4)
	for _, index := range []string{"0", "1", "2", "3", "7"} { // of four cells the last shares have none
		line := strings.NewReplacer("$(JOB_COMPLETION_INDEX)", index, "/study", "study").Replace(call)
		p.OK(words(line + "--plan plan.json")...)
	}
	r := p.Reported("study")
	assert.True(t, r.Counts.Whole == 4, "%+v", r.Counts)
}

// imageLine is the rest of the Dockerfile's only line that begins so.
func imageLine(t *testing.T, begin string) (rest string) {
	t.Helper()
	text := assert.Must(os.ReadFile("cluster/Dockerfile"))(t)
	found := 0
	for line := range strings.Lines(string(text)) {
		if after, ok := strings.CutPrefix(strings.TrimSpace(line), begin); ok {
			rest = after
			found++
		}
	}
	assert.Is(t, found, 1, "lines of the Dockerfile begin with %q", begin)
	return rest
}

// TestImage: the image is built by the Go that go.mod asks for, as the Makefile builds, and the program is where its
// users and the Job's command look for it.
func TestImage(t *testing.T) {
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(assert.Must(os.ReadFile("../go.mod"))(t))
	assert.True(t, version != nil && imageLine(t, "FROM golang:") == string(version[1])+" AS build",
		"go.mod has %s, the image golang:%s", version, imageLine(t, "FROM golang:"))
	for begin, want := range map[string]string{
		"RUN ": "CGO_ENABLED=0 make build", "FROM scratch": "", "ENV PATH=": "/usr/local/bin",
		"COPY --from=build ": "/src/bin/mhacsp /usr/local/bin/mhacsp", "ENTRYPOINT ": `["mhacsp"]`,
	} {
		assert.Is(t, imageLine(t, begin), want, "%s", begin)
	}
}
