//go:build !js

package cli

import (
	"fmt"
	"strconv"
	"strings"

	"mhacsp/tasks"
)

// unpractised says in words what of a prompt training never drew, but for its numbers. The page has the same in
// site/scripts/practised.js.
func unpractised(u tasks.Unpractised) string {
	switch u.Kind {
	case tasks.LackOperands:
		return fmt.Sprintf("it has practised %d to %d numbers; this has %s", u.Least, u.Most, u.Value)
	case tasks.LackTerms:
		return fmt.Sprintf("it has practised up to %d terms in a row; this has %s", u.Most, u.Value)
	case tasks.LackDepth:
		if u.Most == 0 {
			return "it has practised no brackets"
		}
		return fmt.Sprintf("it has practised brackets up to %d deep; these are %s deep", u.Most, u.Value)
	case tasks.LackLength:
		return fmt.Sprintf("it has practised lengths of %d to %d; this is %s", u.Least, u.Most, u.Value)
	case tasks.LackOdd:
		return fmt.Sprintf("it has practised even lengths alone; this is %s", u.Value)
	case tasks.LackOperator:
		if u.Value == "-(" {
			return "it has practised no minus before a bracket"
		}
		return fmt.Sprintf("it has practised no %s", u.Value)
	case tasks.LackToken:
		return fmt.Sprintf("no prompt in its training had %s", strconv.QuoteToGraphic(u.Value))
	case tasks.LackPairs:
		return "it has practised a bracket around every two parts"
	}
	return "it has practised no brackets in such places"
}

// Noted is what is to be said of a prompt, in a line.
func Noted(list []tasks.Unpractised, note string) string {
	var all, numbers []string
	practised := ""
	for _, u := range list {
		if u.Kind == tasks.LackNumber {
			practised = fmt.Sprintf("it has practised %d to %d", u.Least, u.Most)
			numbers = append(numbers, u.Value+" is "+u.Same)
		} else {
			all = append(all, unpractised(u))
		}
	}
	if numbers != nil {
		all = append([]string{practised, strings.Join(numbers, ", ") + " here"}, all...)
	}
	if note != "" {
		all = append(all, note)
	}
	return strings.Join(all, "; ")
}
