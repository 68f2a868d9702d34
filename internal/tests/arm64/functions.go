//go:build ignore

// functions writes the values of functions at fixed arguments to a file, for runs.py, which compares processors: for
// each function a line with its name and then its values, as little-endian float64. Results of single precision are
// widened.
package main

// #cgo LDFLAGS: -lopenblas -lm
// #include <math.h>
// #include <stddef.h>
//
// typedef double (*pf_double)(double);
// typedef float (*pf_single)(float);
// static pf_double pf_doubles[] = {exp, log, sin, cos, tan, asin, acos, sqrt, cbrt, tanh};
// static pf_single pf_singles[] = {expf, logf, sinf, cosf, tanhf, sqrtf};
// static double pf_call(int i, double x) { return pf_doubles[i](x); }
// static float pf_callf(int i, float x) { return pf_singles[i](x); }
//
// void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
//   const float *b, int ldb, float beta, float *c, int ldc);
import "C"

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"os"
)

const count = 10_000

//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }

//go:noinline
func multiplyThenAdd(x, y, z float64) float64 { return float64(x*y) + z }

func main() {
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	out := bufio.NewWriter(file)
	write := func(name string, value func(x, y float64) float64) {
		fmt.Fprintln(out, name)
		draw := rand.New(rand.NewSource(1))
		for range count {
			binary.Write(out, binary.LittleEndian, value(2*draw.Float64()-1, 2*draw.Float64()-1))
		}
	}
	write("Go x*y + z", func(x, y float64) float64 { return multiplyAdd(x, y, x-y) })
	write("Go float64(x*y) + z", func(x, y float64) float64 { return multiplyThenAdd(x, y, x-y) })
	for _, f := range []struct {
		name string
		call func(x float64) float64
	}{
		{"Exp", math.Exp}, {"Log", math.Log}, {"Sin", math.Sin}, {"Cos", math.Cos}, {"Sqrt", math.Sqrt},
		{"Tanh", math.Tanh}, {"Asin", math.Asin}, {"Atan", math.Atan},
	} {
		write("Go math."+f.name, func(x, y float64) float64 { return f.call(argument(f.name, x)) })
	}
	write("Go math.Atan2", math.Atan2)
	write("Go math.Pow", func(x, y float64) float64 { return math.Pow(math.Abs(x), y) })
	write("Go math.Hypot", math.Hypot)
	for i, name := range []string{"exp", "log", "sin", "cos", "tan", "asin", "acos", "sqrt", "cbrt", "tanh"} {
		write("libm "+name, func(x, y float64) float64 {
			return float64(C.pf_call(C.int(i), C.double(argument(name, x))))
		})
	}
	for i, name := range []string{"expf", "logf", "sinf", "cosf", "tanhf", "sqrtf"} {
		write("libm "+name, func(x, y float64) float64 {
			return float64(C.pf_callf(C.int(i), C.float(argument(name, x))))
		})
	}
	write("libm pow", func(x, y float64) float64 { return float64(C.pow(C.double(math.Abs(x)), C.double(y))) })
	write("libm atan2", func(x, y float64) float64 { return float64(C.atan2(C.double(x), C.double(y))) })
	products(write)
	if err := out.Flush(); err != nil {
		panic(err)
	}
}

// argument is where a function is tried: what needs positive numbers gets them, sines get angles of some turns.
func argument(function string, x float64) float64 {
	switch function {
	case "Log", "log", "logf", "Sqrt", "sqrt", "sqrtf":
		return math.Abs(x)
	case "Asin", "asin", "acos":
		return x
	}
	return 10 * x
}

// products writes what OpenBLAS makes of matrices of the sizes of the quadruped's policy: 64 hidden units times 47
// observed values or 64 hidden units.
func products(write func(name string, value func(x, y float64) float64)) {
	const n = 64
	for _, k := range []int{47, 64} {
		draw := rand.New(rand.NewSource(2))
		a, b, c := make([]C.float, n*k), make([]C.float, k*n), make([]C.float, n*n)
		at := n * n
		write(fmt.Sprintf("OpenBLAS sgemm, sums of %d", k), func(x, y float64) float64 {
			if at == n*n {
				at = 0
				for i := range a {
					a[i], b[i] = C.float(draw.NormFloat64()), C.float(draw.NormFloat64())
				}
				// row-major, the second transposed: how a layer is applied
				C.cblas_sgemm(101, 111, 112, n, n, C.int(k), 1, &a[0], C.int(k), &b[0], C.int(k), 0, &c[0], n)
			}
			at++
			return float64(c[at-1])
		})
	}
}
