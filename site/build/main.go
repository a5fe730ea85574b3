//go:build !js

// Command build makes the site: one folder of static files for any file host, under any path. Files that others refer
// to get the hash of their contents in their name, so that a browser may keep them for ever; pages, the service worker
// and the embeddable script keep their names. Each file also lies there compressed, as NAME.br and NAME.gz, for hosts
// that hand those out. files.json lists everything.
//
// Run it in the repository: go run ./site/build
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	out := flag.String("out", "site/dist", "`folder` to make")
	quality := flag.Int("quality", 11, "brotli `level`, 0 to 11; -1: write no compressed files")
	flag.Parse()
	var err error
	switch {
	case flag.NArg() > 0:
		err = fmt.Errorf("build takes no arguments, found %q", flag.Arg(0))
	case *quality < -1 || *quality > 11:
		err = fmt.Errorf("-quality is %d; choose a number from -1 to 11", *quality)
	default:
		err = run(*out, *quality)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(out string, quality int) error {
	begin := time.Now()
	if _, err := os.Stat("go.mod"); err != nil {
		return fmt.Errorf("there is no go.mod here; run it in the folder of the repository")
	}
	files, err := collect("site", out)
	if err != nil {
		return err
	}
	for _, add := range []func(map[string][]byte) error{addShared, addSpec, addZoom, addPaper, programs} {
		if err := add(files); err != nil {
			return err
		}
	}
	if quality >= 0 { // the loader is told that NAME.gz will lie next to NAME
		const no, yes = "const PACKED = false;", "const PACKED = true;"
		if files["packed.js"], err = written("packed.js", files["packed.js"], no, yes); err != nil {
			return err
		}
	}
	s, err := name(files)
	if err != nil {
		return err
	}
	s.quality = listed(out).Quality
	if err := s.write(out); err != nil {
		return err
	}
	if quality >= 0 {
		if err := s.compress(out, quality); err != nil {
			return err
		}
	}
	if err := s.list(out); err != nil {
		return err
	}
	for _, f := range s.files {
		if filepath.Ext(f.Source) == ".wasm" {
			fmt.Printf("%-24s %9d bytes", f.Source, len(f.data))
			if f.Brotli > 0 {
				fmt.Printf(", %d in brotli, %d in gzip", f.Brotli, f.Gzip)
			}
			fmt.Println()
		}
	}
	if err := s.within(quality); err != nil {
		return err
	}
	fmt.Printf("%s: %d files, version %s, made in %.1f s\n", out, len(s.files), s.version, time.Since(begin).Seconds())
	return nil
}
