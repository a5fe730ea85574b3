package session

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
	"mhacsp/tasks/own"
)

// TestPageKnows: the page offers every preset of zoo and every key of its family. The page's list is written by hand,
// for it says each thing in words of its own and must stand before a trainer is loaded.
func TestPageKnows(t *testing.T) {
	text, offered := offers(t, "model")
	models := names(zoo.Presets())
	slices.Sort(models)
	assert.Is(t, offered, models, "%s: the choices of \"model\", which are to be zoo's presets", settingsFile)
	has := map[string][]string{} // the models that have a key
	for _, p := range zoo.Presets() {
		for _, k := range p.New().Keys() {
			has[k.Name] = append(has[k.Name], p.Name)
			assert.True(t, regexp.MustCompile(`(field|choice)\("`+k.Name+`"`).MatchString(text),
				"%s has no setting %q, a key of %s: add one", settingsFile, k.Name, p.Name)
			for _, value := range k.Choices {
				_, values := offers(t, k.Name)
				assert.True(t, slices.Contains(values, value),
					"%s does not offer %q for %q: add it to the choices", settingsFile, value, k.Name)
			}
		}
	}
	lists := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^const (\w+) = (\[[^\]]*\]);`).FindAllStringSubmatch(text, -1) {
		lists[m[1]] = quoted(m[2])
	}
	for key, models := range has {
		_, setting, _ := strings.Cut(text, `("`+key+`", `)
		setting = regexp.MustCompile(`\n  (field|choice)\(`).Split(setting, 2)[0]
		got := names(zoo.Presets())
		list := regexp.MustCompile(`models: (?:(\w+)|\[(?:\.\.\.(\w+))?([^\]]*)\])`)
		if m := list.FindStringSubmatch(setting); m != nil {
			got = slices.Concat(lists[m[1]], lists[m[2]], quoted(m[3]))
		}
		slices.Sort(got)
		assert.True(t, slices.Equal(got, models),
			"%s has the setting %q for the models %v; those that have it are %v", settingsFile, key, got, models)
	}
}

func names(presets []sequence.Preset) (list []string) {
	for _, p := range presets {
		list = append(list, p.Name)
	}
	return list
}

// quoted are the texts in quotation marks of a list in JavaScript.
func quoted(list string) (texts []string) {
	for _, m := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(list, -1) {
		texts = append(texts, m[1])
	}
	return texts
}

// settingsFile has what can be chosen on the page.
const settingsFile = "../../site/scripts/settings.js"

// offers are the choices of one of the page's settings, sorted, and the text that they stand in.
func offers(t *testing.T, key string) (text string, offered []string) {
	t.Helper()
	text = string(assert.Must(os.ReadFile(settingsFile))(t))
	choices := regexp.MustCompile(`choice\("` + key + `", "[^"]*", \{([^}]*)\}`).FindStringSubmatch(text)
	assert.Need(t, choices != nil, "%s has no choice %q", settingsFile, key)
	for _, m := range regexp.MustCompile(`"?([\w-]+)"?: "`).FindAllStringSubmatch(choices[1], -1) {
		offered = append(offered, m[1])
	}
	slices.Sort(offered)
	return text, offered
}

// TestPageKnowsTasks: the page offers every task of package tasks and the user's own data, and each option for
// exactly the tasks that have it.
func TestPageKnowsTasks(t *testing.T) {
	text, offered := offers(t, "task")
	known := append(tasks.Names(), own.Name)
	slices.Sort(known)
	assert.Is(t, offered, known, "%s: the choices of \"task\", which are to be all tasks", settingsFile)
	about := regexp.MustCompile(`(?m)^const strings = (\[[^\]]*\]);`).FindStringSubmatch(text)
	assert.Need(t, about != nil, "%s has no list of the tasks about strings", settingsFile)
	yes := true
	for key, o := range map[string]tasks.Options{
		"preset": {Preset: "author"}, "format": {Format: "direct"}, "brackets": {Brackets: &yes},
		"operators": {Operators: "+-"}, "min_length": {MinLength: 8}, "max_length": {MaxLength: 8},
	} {
		var want []string
		for _, name := range tasks.Names() {
			if _, err := tasks.New(name, o); err == nil {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		_, setting, _ := strings.Cut(text, `("`+key+`", `)
		setting = regexp.MustCompile(`\n  (field|choice)\(`).Split(setting, 2)[0]
		m := regexp.MustCompile(`tasks: (strings|\[[^\]]*\])`).FindStringSubmatch(setting)
		if m == nil {
			t.Errorf("%s has no setting %q with its list of tasks", settingsFile, key)
			continue
		}
		if m[1] == "strings" {
			m[1] = about[1]
		}
		got := quoted(m[1])
		slices.Sort(got)
		assert.True(t, slices.Equal(got, want),
			"%s has the setting %q for %v; the tasks that have it are %v", settingsFile, key, got, want)
	}
}

// TestPageRemedies: a run that has left the numbers names the key that helps; the page's inWords has labels for keys.
func TestPageRemedies(t *testing.T) {
	bad := &train.NotFiniteError{Cause: train.States, Sample: &train.FailedSample{Tokens: 9}}
	for field, err := range map[string]error{"state_clip": bad, "": &train.NotFiniteError{}} {
		e := errorOf(err)
		assert.True(t, e.Field == field && !strings.Contains(e.Text, "--"), "%+v", e)
	}
}

// TestPagePractised: the page has a sentence for every kind of what training never had; that of LackForm is left over.
func TestPagePractised(t *testing.T) {
	text := assert.Must(os.ReadFile("../../site/scripts/practised.js"))(t)
	for _, kind := range []tasks.Lack{
		tasks.LackOperands, tasks.LackTerms, tasks.LackDepth, tasks.LackLength, tasks.LackOdd,
		tasks.LackOperator, tasks.LackToken, tasks.LackPairs,
	} {
		assert.True(t, strings.Contains(string(text), `case "`+string(kind)+`":`),
			"site/scripts/practised.js says nothing of %q", kind)
	}
}
