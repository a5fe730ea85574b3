//go:build cgo && unix && !js

package webgpu

/*
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What the handler writes. Two texts take turns, so that one is whole at any time.
static struct { char text[2048]; int length; } words[2];
static volatile sig_atomic_t turn = -1;
static int code;
static struct sigaction before;

static void last(int signal) {
	if (turn >= 0) {
		ssize_t n = write(2, words[turn].text, words[turn].length);
		(void)n;
		_exit(code);
	}
	// Nothing to say: the signal's usual effect.
	sigaction(SIGABRT, &before, 0);
	raise(signal);
}

static void say(const char *text, int length, int exitCode) {
	static int installed;
	int next = turn == 0;
	if (length == 0) {
		turn = -1;
		return;
	}
	if (length > (int)sizeof words[next].text) length = sizeof words[next].text;
	memcpy(words[next].text, text, length);
	words[next].length = length;
	code = exitCode;
	turn = next;
	if (!installed) {
		struct sigaction a;
		memset(&a, 0, sizeof a);
		a.sa_handler = last;
		a.sa_flags = SA_ONSTACK; // as Go asks of handlers that are not its own
		sigaction(SIGABRT, &a, &before);
		installed = 1;
	}
}
*/
import "C"

import "unsafe"

// LastWords is what the process writes to standard error, with the exit code that it then ends with, if the GPU's
// driver aborts it. wgpu-native does that where a device is lost or its memory runs out in the midst of a call: no
// call returns, and there is no callback that comes first. An empty text restores the signal's usual effect.
func LastWords(text string, code int) {
	c := C.CString(text)
	defer C.free(unsafe.Pointer(c))
	C.say(c, C.int(len(text)), C.int(code))
}
