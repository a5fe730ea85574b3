// Package displaytest runs tests that draw with ebiten: in one ebiten loop, on the user's display or on one without a
// screen. Only tests import it.
package displaytest

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
)

// inside marks the process that TestMain started again under a display of its own.
const inside = "MHACSP_DISPLAY_INSIDE"

// Main runs a package's tests in an ebiten loop, which needs the main goroutine and a display: the user's,
// or one without a screen where Xvfb is installed. Without either the tests that draw end in Missing. It
// returns the exit code; call it from TestMain.
func Main(m *testing.M) int {
	if os.Getenv("DISPLAY") == "" && os.Getenv(inside) == "" {
		if display, stop, err := Start(); err == nil {
			defer stop()
			// ebiten looks for a display when the process starts: start it again.
			c := exec.Command(os.Args[0], os.Args[1:]...)
			c.Env = append(os.Environ(), "DISPLAY="+display, inside+"=1", "LIBGL_ALWAYS_SOFTWARE=1")
			c.Stdout, c.Stderr = os.Stdout, os.Stderr
			if err := c.Run(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			return c.ProcessState.ExitCode() // -1 where it did not start
		}
	}
	if os.Getenv("DISPLAY") == "" {
		return m.Run()
	}
	code, failed := 0, make(chan struct{})
	desk = &bench{jobs: make(chan func(*ebiten.Image)), opened: make(chan struct{})}
	go func() {
		select {
		case <-desk.opened:
			code = m.Run()
			desk.close()
		case <-failed:
		case <-time.After(120 * time.Second):
			fmt.Fprintln(os.Stderr, "ebiten drew no frame within two minutes on display", os.Getenv("DISPLAY"))
			os.Exit(1)
		}
	}()
	ebiten.SetWindowSize(900, 600)
	if err := ebiten.RunGame(desk); err != nil {
		fmt.Fprintln(os.Stderr, "display", os.Getenv("DISPLAY")+":", err)
		close(failed)
		desk = nil
		return m.Run()
	}
	return code
}

// Start starts Xvfb, a display without a screen, under a free name.
func Start() (display string, stop func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", nil, err
	}
	defer r.Close()
	c := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0",
		"1280x800x24", "+extension", "GLX", "-nolisten", "tcp")
	c.ExtraFiles = []*os.File{w}
	err = c.Start()
	w.Close()
	if err != nil {
		return "", nil, err
	}
	stop = func() {
		c.Process.Signal(os.Interrupt) // it removes its socket and lock
		kill := time.AfterFunc(5*time.Second, func() { c.Process.Kill() })
		defer kill.Stop()
		c.Wait()
	}
	if err := r.SetReadDeadline(time.Now().Add(60 * time.Second)); err != nil {
		stop()
		return "", nil, err
	}
	line, err := bufio.NewReader(r).ReadString('\n') // to the end of the line: Xvfb dies if nobody takes it
	number := strings.TrimSpace(line)
	if _, bad := strconv.Atoi(number); err != nil || bad != nil {
		stop()
		return "", nil, fmt.Errorf("Xvfb named no display: %w", errors.Join(err, bad))
	}
	return ":" + number, stop, nil
}

// bench is the loop that tests draw in; game, where set, has the loop instead.
type bench struct {
	jobs   chan func(*ebiten.Image)
	opened chan struct{}
	seen   bool
	ended  bool
	game   Game
	loops  int // updates of game
}

// Game is what a test may run in the loop.
type Game interface {
	ebiten.Game
	ebiten.LayoutFer
	Prepare() // sets what it needs of ebiten
}

var desk *bench

func (b *bench) Update() error {
	if b.ended {
		return ebiten.Termination
	}
	if b.game != nil {
		b.loops++
		return b.game.Update()
	}
	return nil
}

func (b *bench) Draw(screen *ebiten.Image) {
	if !b.seen {
		b.seen = true
		close(b.opened)
	}
	select {
	case job := <-b.jobs:
		job(screen)
	default:
	}
	if b.game != nil {
		b.game.Draw(screen)
	}
}

func (b *bench) LayoutF(w, h float64) (float64, float64) {
	if b.game != nil {
		return b.game.LayoutF(w, h)
	}
	return w, h
}

// Layout is for the interface; LayoutF has precedence.
func (b *bench) Layout(w, h int) (int, int) { return w, h }

// do runs a job in the loop and waits for it.
func (b *bench) do(job func(*ebiten.Image)) {
	done := make(chan struct{})
	for {
		ebiten.ScheduleFrame()
		select {
		case b.jobs <- func(screen *ebiten.Image) { job(screen); close(done) }:
			<-done
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (b *bench) close() {
	b.do(func(*ebiten.Image) { b.ended, b.game = true, nil })
	ebiten.ScheduleFrame()
}

// Do runs a job in the loop, with the screen, and waits for it.
func Do(job func(*ebiten.Image)) { desk.do(job) }

// Picture is what f draws in the loop on an image of that many pixels.
func Picture(t testing.TB, w, h int, f func(target *ebiten.Image)) *image.RGBA {
	t.Helper()
	Need(t)
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	Do(func(*ebiten.Image) {
		target := ebiten.NewImage(w, h)
		defer target.Deallocate()
		f(target)
		target.ReadPixels(m.Pix)
	})
	return m
}

// Spot is how many pixels of an area are close to a colour, and their middle.
func Spot(m *image.RGBA, area image.Rectangle, c color.NRGBA) (n int, x, y float64) {
	area = area.Intersect(m.Rect)
	for at := area.Min; at.Y < area.Max.Y; at.Y++ {
		for at.X = area.Min.X; at.X < area.Max.X; at.X++ {
			if Alike(m.RGBAAt(at.X, at.Y), c) {
				n, x, y = n+1, x+float64(at.X)+0.5, y+float64(at.Y)+0.5
			}
		}
	}
	return n, x / float64(n), y / float64(n)
}

// Alike reports whether a pixel has nearly a colour.
func Alike(a color.RGBA, b color.NRGBA) bool {
	d := func(x, y uint8) bool { return max(x, y)-min(x, y) <= 6 }
	return d(a.R, b.R) && d(a.G, b.G) && d(a.B, b.B) && a.A == 255
}

// Play gives a game the loop until end is called.
func Play(g Game) (end func()) {
	desk.do(func(*ebiten.Image) { g.Prepare(); desk.game, desk.loops = g, 0 })
	return func() {
		desk.do(func(*ebiten.Image) {
			desk.game = nil
			ebiten.SetFPSMode(ebiten.FPSModeVsyncOn)
			ebiten.SetScreenClearedEveryFrame(true)
		})
	}
}

// Loops is how many updates the game of Play had. Call it in the loop.
func Loops() int { return desk.loops }

// Need skips a test that draws where nothing can be drawn.
func Need(t testing.TB) {
	t.Helper()
	if desk == nil {
		Missing(t)
	}
}

// Missing skips a test for want of a display, or fails it where the environment variable MHACSP_DISPLAY is "require",
// which promises one.
func Missing(t testing.TB, why ...any) {
	t.Helper()
	why = append([]any{"no display: install xvfb and Mesa's libgl1-mesa-dri, or set DISPLAY"}, why...)
	if os.Getenv("MHACSP_DISPLAY") == "require" {
		t.Fatal(why...)
	}
	t.Skip(why...)
}
