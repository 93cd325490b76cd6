/* Operations on eight numbers at a time; compiled once for each generation of processors (loops.c). */

/* The suffix of the functions of a generation. */
#define JOIN_(name, generation) name##_##generation
#define JOIN(name, generation) JOIN_(name, generation)
#define OF(name) JOIN(name, GENERATION)
#define lanes OF(lanes)
#define whole OF(whole)

typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t whole __attribute__((vector_size(4 * LANES)));

INLINE lanes OF(load)(const float *x) {
    lanes loaded;
    memcpy(&loaded, x, sizeof loaded);
    return loaded;
}

INLINE void OF(store)(float *x, lanes stored) {
    memcpy(x, &stored, sizeof stored);
}

INLINE lanes OF(all)(float x) {
    return (lanes){x, x, x, x, x, x, x, x};
}

/* `one` where the mask is set, else `other`. */
INLINE lanes OF(choose)(whole mask, lanes one, lanes other) {
    return (lanes)((mask & (whole)one) | (~mask & (whole)other));
}

/* The larger of two numbers; NaN wins, as in numpy. */
INLINE lanes OF(larger)(lanes a, lanes b) {
    return OF(choose)((a > b) | (a != a), a, b);
}

INLINE float OF(sum)(lanes x) {
    return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

/* Loads up to LANES numbers and fills the other lanes with `rest`. */
INLINE lanes OF(load_some)(const float *x, int64_t count, float rest) {
    lanes loaded = OF(all)(rest);
    for (int64_t i = 0; i < count; i++)
        loaded[i] = x[i];
    return loaded;
}

INLINE void OF(store_some)(float *x, int64_t count, lanes stored) {
    for (int64_t i = 0; i < count; i++)
        x[i] = stored[i];
}

/* Runs the following block on `count` numbers, LANES at a time: `at` is the index of the first, `some` the number of
 * them. */
#define EACH(count, ...)                                                                                               \
    {                                                                                                                  \
        int64_t at = 0;                                                                                                \
        for (; at + LANES <= (count); at += LANES) {                                                                   \
            enum { some = LANES };                                                                                     \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
        if (at < (count)) {                                                                                            \
            const int64_t some = (count)-at;                                                                           \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define LOAD(x, rest) (some == LANES ? OF(load)((x) + at) : OF(load_some)((x) + at, some, rest))
#define STORE(x, made)                                                                                                 \
    if (some == LANES)                                                                                                 \
        OF(store)((x) + at, made);                                                                                     \
    else                                                                                                               \
        OF(store_some)((x) + at, some, made);

INLINE float OF(sum_row)(const float *x, int64_t count) {
    lanes sums = OF(all)(0);
    EACH(count, sums += LOAD(x, 0);)
    return OF(sum)(sums);
}

/* The sum of squares of x - mean. */
INLINE float OF(sum_squares)(const float *x, float mean, int64_t count) {
    lanes sums = OF(all)(0);
    EACH(count, const lanes off = LOAD(x, mean) - mean; sums += off * off;)
    return OF(sum)(sums);
}
