//go:build !js

package serve

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"mhacsp/tasks/assert"
)

// TestServe: types, encodings and caching as a browser needs them; nothing outside the folder.
func TestServe(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "dist")
	assert.NoError(t, os.MkdirAll(filepath.Join(dir, "circle"), 0o755))
	for name, text := range map[string]string{
		"dist/index.html": "page", "dist/trainer.0123456789ab.wasm": "plain",
		"dist/trainer.0123456789ab.wasm.br": "brotli",
		"dist/trainer.0123456789ab.wasm.gz": "gzip", "dist/circle/index.html": "circle", "secret": "secret",
	} {
		assert.NoError(t, os.WriteFile(filepath.Join(outer, filepath.FromSlash(name)), []byte(text), 0o644))
	}
	for link, to := range map[string]string{"link": outer, "outside.js": filepath.Join("..", "secret")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Logf("no links here: %v", err)
		}
	}
	root := assert.Must(os.OpenRoot(dir))(t)
	defer root.Close()
	server := httptest.NewServer(siteHandler(root.FS()))
	defer server.Close()
	for _, x := range []struct{ path, accept, body, kind, coding, cache string }{
		{"/", "", "page", "text/html; charset=utf-8", "", "no-cache"},
		{"/circle/", "br", "circle", "text/html; charset=utf-8", "", "no-cache"},
		{"/trainer.0123456789ab.wasm", "", "plain", "application/wasm", "", "public, max-age=31536000, immutable"},
		{"/trainer.0123456789ab.wasm", "gzip, deflate, br", "brotli", "application/wasm", "br", "public, max-age=31536000, immutable"},
		{"/trainer.0123456789ab.wasm", "gzip, br;q=0", "gzip", "application/wasm", "gzip", "public, max-age=31536000, immutable"},
	} {
		q := assert.Must(http.NewRequest(http.MethodGet, server.URL+x.path, nil))(t)
		q.Header.Set("Accept-Encoding", x.accept)
		r := assert.Must(server.Client().Do(q))(t)
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		h := r.Header
		if err != nil || r.StatusCode != http.StatusOK || string(body) != x.body || h.Get("Content-Type") != x.kind ||
			h.Get("Content-Encoding") != x.coding || h.Get("Cache-Control") != x.cache ||
			h.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s for %q: %d %q, %v", x.path, x.accept, r.StatusCode, body, h)
		}
	}
	for _, path := range []string{
		"/nothing.js", "/../secret", "/%2e%2e/secret", "/circle", "/link/secret", "/outside.js",
	} {
		r := assert.Must(server.Client().Get(server.URL + path))(t)
		r.Body.Close()
		assert.Is(t, r.StatusCode, http.StatusNotFound, "%s", path)
	}
	r, err := server.Client().Post(server.URL, "", nil)
	assert.True(t, err == nil && r.StatusCode == http.StatusMethodNotAllowed, "POST: %v, %v", r, err)
}

// TestServeHost: a name that is not this machine's own is refused, whatever it leads to.
func TestServeHost(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "page") })
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:8080": 200, "127.0.0.1:8080": 200, "127.0.0.2": 200, "[::1]:8080": 200,
		"[::1]": 200, "": 421, "evil.example": 421, "evil.example:8080": 421, "localhost.evil.example": 421,
		"10.0.0.1:8080": 421, "127.0.0.1.evil.example": 421, "0.0.0.0:8080": 421,
	} {
		q := httptest.NewRequest(http.MethodGet, "/", nil)
		q.Host = host
		w := httptest.NewRecorder()
		forLocalhost(page).ServeHTTP(w, q)
		assert.True(t, w.Code == want && (w.Body.String() == "page") == (want == http.StatusOK),
			"%q: %d %q, want %d", host, w.Code, w.Body, want)
	}
}

// TestListen: a port that is taken is no obstacle, at whichever address of this machine; all listeners have one port.
func TestListen(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		other, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("%s: %v", address, err) // no IPv6 here
			continue
		}
		defer other.Close()
		list := assert.Must(listen(portOf(other)))(t)
		for _, l := range list {
			defer l.Close()
			port, ip := portOf(l), l.Addr().(*net.TCPAddr).IP
			assert.True(t, port != portOf(other) && port == portOf(list[0]) && ip.IsLoopback(),
				"next to %s: %s, and the first is %s", other.Addr(), l.Addr(), list[0].Addr())
		}
		_, err = net.Listen("tcp", net.JoinHostPort("::1", strconv.Itoa(portOf(list[0]))))
		assert.True(t, err != nil, "the port of %s is left to others in IPv6", list[0].Addr())
	}
}
