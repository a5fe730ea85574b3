// Package study is many runs: a Plan lists them as cells, a cell is a run's folder, and what is said of a cell is read
// from its records, never from its model (STUDIES.md). Of cells it makes figures with their spread, of figures
// verdicts on the claims of the paper, and of both a Report, as Markdown, CSV and JSON.
//
// It starts nothing and prints nothing: whoever trains the cells, as `mhacsp tables` does, asks Spend how many steps
// each gets.
package study
