/* Spreads work over threads: SPREAD gives each thread a range of pieces, from `first` to `last` (exclusive).
 */

#ifdef _OPENMP
#include <omp.h>
#define SPREAD(pieces, threads, call)                                                                                  \
    if ((threads) > 1) {                                                                                               \
        _Pragma("omp parallel num_threads(threads)") {                                                                 \
            const int64_t part = omp_get_thread_num(), parts = omp_get_num_threads();                                  \
            const int64_t first = (pieces)*part / parts, last = (pieces) * (part + 1) / parts;                         \
            call;                                                                                                      \
        }                                                                                                              \
    } else {                                                                                                           \
        const int64_t first = 0, last = (pieces);                                                                      \
        call;                                                                                                          \
    }
#else
#define SPREAD(pieces, threads, call)                                                                                  \
    {                                                                                                                  \
        const int64_t first = 0, last = (pieces);                                                                      \
        (void)(threads);                                                                                               \
        call;                                                                                                          \
    }
#endif
