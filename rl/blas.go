package rl

// #cgo LDFLAGS: -lopenblas -lm
// extern void openblas_set_num_threads(int threads);
// extern char *openblas_get_corename(void);
import "C"

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/netlib/blas/netlib"
)

// Kernel names the processor type OpenBLAS chose its kernels for, such as
// "SkylakeX". Results repeat bit for bit only between runs with the same kernel,
// so it belongs in the log of a run. The environment variable OPENBLAS_CORETYPE
// overrides the choice.
func Kernel() string {
	return C.GoString(C.openblas_get_corename())
}

// oneThread keeps OpenBLAS from starting threads of its own: the workers of
// this package are the threads, and a product split over threads would round
// differently with their number. It is called by every constructor, may be
// called again, and holds for the whole process.
func oneThread() {
	C.openblas_set_num_threads(1)
}

// matmul computes c = op(a)·op(b), where c is m×n, op(a) is m×k, op(b) is k×n,
// all row-major and dense.
func matmul(ta, tb blas.Transpose, m, n, k int, a, b, c []float32) {
	lda, ldb := k, n
	if ta == blas.Trans {
		lda = m
	}
	if tb == blas.Trans {
		ldb = k
	}
	netlib.Implementation{}.Sgemm(ta, tb, m, n, k, 1, a, lda, b, ldb, 0, c, n)
}
