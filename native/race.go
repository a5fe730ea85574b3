//go:build !js

package native

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/tasks/strict"
)

// mostRunners is how many models race side by side.
const mostRunners = 4

// racers are the models that --race names: two to four, each once.
func racers(text string) ([]string, error) {
	names := strings.Split(text, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	wrong := func(format string, a ...any) ([]string, error) {
		return nil, fmt.Errorf("--race is %q: %s", text, fmt.Sprintf(format, a...))
	}
	for i, name := range names {
		if !slices.Contains(zoo.Names(), name) {
			return wrong("%q is no model; name two to four of: %s", name, strings.Join(zoo.Names(), ", "))
		}
		if slices.Contains(names[:i], name) {
			return wrong("%s runs already; name each model once", name)
		}
	}
	if n := len(names); n < 2 || n > mostRunners {
		return wrong("that is %s; name two to four, with commas, as in lstm,gdn", plural(n, "model"))
	}
	return names, nil
}

// raceRuns are the runs of a race: the same but for the model, and without a curriculum, which would choose other
// samples for each. Where no flag says otherwise they are those that the page's race starts from.
func raceRuns(s *settings, names []string) ([]train.Run, error) {
	flags := s.command.Flags()
	c := s.command
	if err := cmp.Or(
		apart(c, "race", "names the models", "model"), apart(c, "race", "trains its models", "run"),
		apart(c, "race", "starts anew", "resume", "accept-changes"),
		apart(c, "race", "has several models, which share what flags say", "config"),
		apart(c, "race", "keeps nothing", "out", "overwrite", "checkpoint-every", "keep-checkpoints"),
		apart(c, "race", "takes the same steps with each model", "patience"),
		apart(c, "race", "is about several models", "mirror", "class", "clocks"),
	); err != nil {
		return nil, err
	}
	if s.given("curriculum") && flags.Lookup("curriculum").Value.String() == "true" {
		return nil, fmt.Errorf("--curriculum cannot stand beside --race: " +
			"it would choose other samples for each model; leave it out")
	}
	preset := [][2]string{
		{"task", "parity"}, {"steps", "1500"}, {"batch", "64"}, {"curriculum", "false"},
		{"eval-samples", "512"}, {"test-samples", "1024"},
	}
	if flags.Lookup("task").Value.String() == defaultTask {
		preset = append(preset, [][2]string{{"format", "direct"}, {"long-share", "0"}}...)
	} else {
		preset = append(preset, [2]string{"max-length", "16"})
	}
	for _, x := range preset {
		if s.given(x[0]) {
			continue
		}
		if err := flags.Set(x[0], x[1]); err != nil {
			return nil, err
		}
	}
	everyTenth := !s.given("eval-every")
	var runs []train.Run
	for _, name := range names {
		if err := flags.Set("model", name); err != nil {
			return nil, err
		}
		r, _, err := s.resolve("")
		if err != nil {
			if bad := new(strict.FieldError); errors.As(err, &bad) && bad.Key == "model" {
				return nil, fmt.Errorf("--race names %q%s", bad.Value, bad.Want)
			}
			return nil, err
		}
		if everyTenth {
			r.Training.EvalEvery = max(1, (r.Training.Steps+5)/10)
		}
		runs = append(runs, r)
	}
	return runs, nil
}
