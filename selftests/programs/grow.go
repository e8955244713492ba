// SPDX-License-Identifier: GPL-2.0-only

// grow CALLS: goroutines that call, panic, grow their stacks and have them walked all the time.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
)

//go:noinline
func work(n int) int {
	var a [64]int
	s := 0
	for i := 0; i < n; i++ {
		a[i&63] += i
		s += a[(i*7)&63]
	}
	return s
}

//go:noinline
func deep(n int) int {
	var a [128]byte
	a[n&127] = 1
	if n == 0 {
		return int(a[3])
	}
	return deep(n-1) + int(a[n&127])
}

//go:noinline
func panics(n int) int {
	if n%2 == 0 {
		panic("even")
	}
	return work(n & 15)
}

//go:noinline
func guarded(n int) (r int) {
	defer func() {
		if recover() != nil {
			r = -1
		}
	}()
	return panics(n)
}

func calls(n int, done chan int) {
	s := 0
	for i := 0; i < n; i++ {
		s += guarded(i)
		if i%20 == 0 {
			runtime.GC()
			s += deep(200)
		}
		runtime.Gosched()
	}
	done <- s
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	done := make(chan int)
	for g := 0; g < 4; g++ {
		go calls(n, done)
	}
	s := 0
	for g := 0; g < 4; g++ {
		s += <-done
	}
	fmt.Println(s)
}
