package nn

// #cgo LDFLAGS: -lopenblas -lm
// #cgo noescape cblas_sgemm
// #cgo nocallback cblas_sgemm
// extern void cblas_sgemm(int order, int transa, int transb, int m, int n, int k, float alpha, const float *a, int lda,
//     const float *b, int ldb, float beta, float *c, int ldc);
// extern void openblas_set_num_threads(int threads);
// extern char *openblas_get_corename(void);
import "C"

// Kernel names the processor type OpenBLAS chose its kernels for, such as
// "SkylakeX". Results repeat bit for bit only between runs with the same kernel,
// so it belongs in the log of a run. The environment variable OPENBLAS_CORETYPE
// overrides the choice.
func Kernel() string {
	return C.GoString(C.openblas_get_corename())
}

// OneThread keeps OpenBLAS from starting threads of its own: the workers of
// this package are the threads, and a product split over threads would round
// differently with their number. It is called by every constructor, may be
// called again, and holds for the whole process.
func OneThread() {
	C.openblas_set_num_threads(1)
}

// transpose says whether a factor of [Matmul] is transposed, in the numbers of CBLAS.
type transpose = C.int

const (
	NoTrans transpose = 111
	Trans   transpose = 112
)

// Matmul computes c = op(a)·op(b), where c is m×n, op(a) is m×k, op(b) is k×n,
// all row-major and dense.
func Matmul(ta, tb transpose, m, n, k int, a, b, c []float32) { multiply(ta, tb, m, n, k, a, b, 0, c) }

// addProduct adds the product of [Matmul] to c.
func addProduct(ta, tb transpose, m, n, k int, a, b, c []float32) {
	multiply(ta, tb, m, n, k, a, b, 1, c)
}

func multiply(ta, tb transpose, m, n, k int, a, b []float32, beta C.float, c []float32) {
	const rowMajor = 101
	lda, ldb := k, n
	if ta == Trans {
		lda = m
	}
	if tb == Trans {
		ldb = k
	}
	if m*n*k == 0 {
		panic("nn: a product of empty matrices")
	}
	_, _, _ = a[m*k-1], b[k*n-1], c[m*n-1]
	C.cblas_sgemm(rowMajor, ta, tb, C.int(m), C.int(n), C.int(k), 1, cFloats(a), C.int(lda), cFloats(b), C.int(ldb),
		beta, cFloats(c), C.int(n))
}
