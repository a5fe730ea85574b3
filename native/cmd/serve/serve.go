//go:build !js

// Package serve implements mhacsp serve, which serves the page from this machine.
package serve

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mhacsp/native/cli"
	"mhacsp/tasks/strict"
)

// New makes the command serve, which prints to out.
func New(out *bufio.Writer) *cobra.Command {
	var dir string
	var port int
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the page on this machine, for a browser",
		Long: `Serve the folder that "make site" builds, to this machine alone. Where the port cannot be had a free
one is used. Any other file server does as well: the page is nothing but files.`,
		Example: "  mhacsp serve\n  mhacsp serve --dir site/dist --port 9000",
		Args:    cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := strict.Within("port", port, 0, 65535); err != nil {
				return err
			}
			root, err := os.OpenRoot(dir) // nothing outside is served, by links neither
			if err == nil {
				defer root.Close()
				_, err = root.Stat("index.html")
			}
			switch {
			case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EMFILE):
				return &fs.PathError{Op: "open", Path: dir, Err: errors.Unwrap(err)} // cli.InWords has remedies
			case err != nil:
				return fmt.Errorf("%s holds no page (%w); build it with \"make site\" (without make: go run "+
					"./site/build)", dir, errors.Unwrap(err))
			}
			listeners, err := listen(port)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "http://localhost:%d/\n", portOf(listeners[0]))
			out.Flush()
			server := &http.Server{Handler: forLocalhost(siteHandler(root.FS())), ReadHeaderTimeout: 10 * time.Second}
			ctx, release := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
			defer release()
			defer context.AfterFunc(ctx, func() { server.Close() })()
			ended := make(chan error, len(listeners))
			for _, l := range listeners {
				go func() { ended <- server.Serve(l) }()
			}
			if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		},
	}
	cli.AddFile(c, &dir, "dir", "site/dist", "`folder` to serve")
	c.Flags().IntVar(&port, "port", 8080, "`port`; 0: any that is free")
	return c
}

// listen takes the port, or any free one where it cannot be had: why is reported differently by every system.
func listen(port int) (list []net.Listener, err error) {
	for range 5 { // a free one of IPv4 may be taken in IPv6
		if list, err = localhost(port); err == nil {
			break
		}
		port = 0
	}
	return list, err
}

// localhost listens on one port at each address that a browser may mean by the name, IPv4 first: at one that were left
// out another program might answer.
func localhost(port int) ([]net.Listener, error) {
	four, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	six, err := net.Listen("tcp", net.JoinHostPort("::1", strconv.Itoa(portOf(four))))
	if err == nil {
		return []net.Listener{four, six}, nil
	}
	free, none := net.Listen("tcp", "[::1]:0")
	if none != nil { // there is no IPv6 here
		return []net.Listener{four}, nil
	}
	free.Close()
	four.Close()
	return nil, err
}

func portOf(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// contentTypes are the kinds of files of the page. Not those of the system, which may not know them.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".json": "application/json", ".webmanifest": "application/manifest+json", ".wasm": "application/wasm",
	".svg": "image/svg+xml", ".png": "image/png",
}

var hashedName = regexp.MustCompile(`\.[0-9a-f]{12}\.\w+$`)

// forLocalhost answers requests to this machine's own names alone: what a browser asks at any other name that leads
// here comes from a page of that name, which could then read what is served (DNS rebinding).
func forLocalhost(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Host
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
		ip := net.ParseIP(strings.Trim(name, "[]"))
		if !strings.EqualFold(name, "localhost") && !(ip != nil && ip.IsLoopback()) {
			http.Error(w, fmt.Sprintf("this server answers at localhost and 127.0.0.1 alone, not at %.100q", r.Host),
				http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// siteHandler serves files, compressed where the browser takes that and the build has made it.
func siteHandler(files fs.FS) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "only GET", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		if strings.HasSuffix(r.URL.Path, "/") {
			name = path.Join(name, "index.html")
		}
		h := w.Header()
		h.Set("Content-Type", cmp.Or(contentTypes[path.Ext(name)], "application/octet-stream"))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Access-Control-Allow-Origin", "*") // a page of another origin may embed the element
		h.Set("Vary", "Accept-Encoding")
		h.Set("Cache-Control", "no-cache")
		if hashedName.MatchString(name) {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		for _, x := range [][2]string{{"br", ".br"}, {"gzip", ".gz"}} {
			if _, err := fs.Stat(files, name+x[1]); err == nil && accepts(r.Header.Get("Accept-Encoding"), x[0]) {
				h.Set("Content-Encoding", x[0])
				name += x[1]
				break
			}
		}
		serveFile(w, r, files, name)
	})
}

// accepts reports whether an Accept-Encoding header allows a coding.
func accepts(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			return strings.Trim(strings.TrimPrefix(strings.TrimSpace(weight), "q="), "0.") != "" || weight == ""
		}
	}
	return false
}

func serveFile(w http.ResponseWriter, r *http.Request, files fs.FS, name string) {
	if f, err := files.Open(name); err == nil {
		defer f.Close()
		info, err := f.Stat()
		if seeker, ok := f.(io.ReadSeeker); ok && err == nil && info.Mode().IsRegular() {
			http.ServeContent(w, r, "", time.Time{}, seeker) // another folder's files may be older: all are sent
			return
		}
	}
	w.Header().Del("Content-Encoding")
	w.Header().Del("Cache-Control")
	http.Error(w, "there is no such file", http.StatusNotFound)
}
