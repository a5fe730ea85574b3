// Command dates writes a task that is not arithmetic: dates as people write them, and the same as YYYY-MM-DD.
//
//	go run tasks/own/testdata/dates.go FOLDER
//
// makes train.jsonl, validation.jsonl and test.jsonl in FOLDER, always the same. Dates are from 1900 to 2099, each in
// one of four styles, which the lines name as their group. A day belongs to one of the files, in all its styles: no
// day of the test is trained on.
package main

import (
	"bufio"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// styles are how a date is written, by the name of the style.
var styles = [][2]string{
	{"spoken", "2 January 2006"}, {"american", "Jan 2, 2006"}, {"slashes", "1/2/2006"}, {"weekday", "Mon 02.01.2006"},
}

// files have a share of the days in tenths, and a number of lines.
var files = []struct {
	name            string
	from, to, lines int
}{{"train", 0, 8, 20000}, {"validation", 8, 9, 1000}, {"test", 9, 10, 2000}}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("give one folder to write the files to")
	}
	first := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	days := rand.New(rand.NewPCG(1, 2)).Perm(int(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).Sub(first).Hours() / 24))
	for i, f := range files {
		if err := write(filepath.Join(os.Args[1], f.name+".jsonl"), func(out *bufio.Writer) {
			random := rand.New(rand.NewPCG(3, uint64(i)))
			own := days[len(days)*f.from/10 : len(days)*f.to/10]
			for range f.lines {
				day, style := first.AddDate(0, 0, own[random.IntN(len(own))]), styles[random.IntN(len(styles))]
				fmt.Fprintf(out, "{\"prompt\": %q, \"target\": %q, \"group\": %q}\n",
					day.Format(style[1]), day.Format(time.DateOnly), style[0])
			}
		}); err != nil {
			log.Fatal(err)
		}
	}
}

func write(path string, lines func(*bufio.Writer)) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	lines(out)
	if err := out.Flush(); err != nil {
		return err
	}
	return f.Close()
}
