// SPDX-License-Identifier: MIT
#ifndef LAPACK_H
#define LAPACK_H
// Thin wrappers around LAPACK and BLAS, column-major raw arrays.
%{
extern "C" {
  void dgesv_(int* n, int* nrhs, double* a, int* lda, int* ipiv, double* b, int* ldb, int* info);
  void dgetrf_(int* m, int* n, double* a, int* lda, int* ipiv, int* info);
  void dpotrf_(char* uplo, int* n, double* a, int* lda, int* info);
  void dsyev_(char* jobz, char* uplo, int* n, double* a, int* lda, double* w, double* work, int* lwork, int* info);
  void dgels_(char* trans, int* m, int* n, int* nrhs, double* a, int* lda, double* b, int* ldb, double* work, int* lwork, int* info);
  void dgemm_(char* ta, char* tb, int* m, int* n, int* k, double* alpha, double* a, int* lda, double* b, int* ldb, double* beta, double* c, int* ldc);
}
static int lapack_solve(double* a, double* b, int n) {
  int nrhs = 1, info = 0;
  int* pivots = (int*) malloc((n+1)*sizeof(int));
  dgesv_(&n, &nrhs, a, &n, pivots, b, &n, &info);
  free(pivots);
  return info;
}
static int lapack_cholesky(double* a, int n) {
  char uplo = 'L';
  int info = 0;
  dpotrf_(&uplo, &n, a, &n, &info);
  return info;
}
static int lapack_eigenvalues(double* a, double* w, int n) {
  char jobz = 'N', uplo = 'U';
  int lwork = 3*n+8, info = 0;
  double* work = new double[lwork];
  dsyev_(&jobz, &uplo, &n, a, &n, w, work, &lwork, &info);
  delete[] work;
  return info;
}
static int lapack_least_squares(double* a, double* b, int m, int n) {
  char trans = 'N';
  int nrhs = 1, lwork = 64*(m+n+1), info = 0;
  double* work = (double*) malloc(sizeof(double)*lwork);
  dgels_(&trans, &m, &n, &nrhs, a, &m, b, &m, work, &lwork, &info);
  free(work);
  return info;
}
static void blas_multiply(double* a, double* b, double* c, int m, int n, int k) {
  char no = 'N';
  double one = 1, zero = 0;
  dgemm_(&no, &no, &m, &n, &k, &one, a, &m, b, &k, &zero, c, &m);
}
%}
#endif
