/* `x + y` for small tensors in PyNative mode: what `framework/pynative/fast/generated_calls.py` writes in Python, in one call.
 *
 * The functions take tensors, make the array and the tensor of the result, and record it on the tape where an input is
 * active. Everything that is not two arrays of Float32 and of one shape, lying row by row, they leave to the function in
 * Python, which also finds out what numpy says about numbers that are not finite. CPython and numpy are called by the
 * addresses of their functions, so this needs neither's headers.
 */

#define MOST_SMALL 1024
#define MOST_DIMENSIONS 8

struct python {
    void *(*new_array)(void *kind, void *element, int dimensions, const int64_t *shape, const int64_t *strides,
                       void *data, int flags, void *like);
    void *(*new_object)(void *kind, int64_t items);
    void *(*new_tuple)(int64_t count, ...);
    void *(*new_int)(int64_t number);
    int64_t (*read_int)(void *number);
    int (*append)(void *list, void *item);
    int64_t (*length)(void *list);
    void *(*call)(void *function, void *const *arguments, size_t count, void *names);
    int (*is_subtype)(void *kind, void *other);
    void (*take)(void *object);
    void (*drop)(void *object);
    void *array_kind, *tensor_kind, *element, *entries, *zero;
    /* Where tensors have their array, and the number of the entry that made it. */
    int64_t data_at, node_at;
    /* Entries with larger numbers are active. */
    const int64_t *base;
};

/* The beginning of `PyArrayObject_fields`. */
struct array {
    int64_t references;
    void *kind;
    char *data;
    int dimensions;
    int64_t *shape, *strides;
    void *base, *element;
    int flags;
};

struct small_operator {
    void *primitive, *otherwise;
};

static struct python python;

EXPORT void use_python(const struct python *given) {
    python = *given;
}

INLINE void **member(void *object, int64_t at) {
    return (void **)((char *)object + at);
}

INLINE int is_tensor(void *object) {
    void *kind = *member(object, sizeof(int64_t));
    return kind == python.tensor_kind || python.is_subtype(kind, python.tensor_kind);
}

INLINE int is_small(const struct array *x) {
    return x && x->kind == python.array_kind && x->element == python.element && x->flags & 1 &&
           x->dimensions <= MOST_DIMENSIONS;
}

/* The number of elements of two arrays of one shape; 0 where they are not, or too large. */
INLINE int64_t common_size(const struct array *x, const struct array *y) {
    int64_t size = 1;
    if (!is_small(x) || !is_small(y) || x->dimensions != y->dimensions)
        return 0;
    for (int i = 0; i < x->dimensions; i++) {
        if (x->shape[i] != y->shape[i] || x->shape[i] > MOST_SMALL)
            return 0;
        size *= x->shape[i];
        if (size > MOST_SMALL)
            return 0;
    }
    return size;
}

/* A tensor of an array, which it takes over, as the output of an operator; NULL where there is no memory. */
static void *finished(const struct small_operator *operator, void *const *given, void *const *arrays, void *made) {
    const int64_t base = *python.base;
    void *first = *member(given[0], python.node_at), *second = *member(given[1], python.node_at), *node;
    if (python.read_int(first) > base || python.read_int(second) > base) {
        void *entry = python.new_tuple(6, operator->primitive, first, second, arrays[0], arrays[1], made);
        const int failed = !entry || python.append(python.entries, entry);
        if (entry)
            python.drop(entry);
        node = failed ? 0 : python.new_int(base + python.length(python.entries));
    } else {
        python.take(python.zero);
        node = python.zero;
    }
    void *tensor = node ? python.new_object(python.tensor_kind, 0) : 0;
    if (!tensor) {
        python.drop(made);
        if (node)
            python.drop(node);
        return 0;
    }
    *member(tensor, python.data_at) = made;
    *member(tensor, python.node_at) = node;
    return tensor;
}

#define SMALL_OPERATOR(name, symbol)                                                                                   \
    static struct small_operator name##_operator;                                                                      \
    EXPORT void use_##name(void *primitive, void *otherwise) {                                                         \
        name##_operator.primitive = primitive;                                                                         \
        name##_operator.otherwise = otherwise;                                                                         \
    }                                                                                                                  \
    EXPORT void *small_##name(void *self, void *const *arguments, int64_t count) {                                     \
        void *given[] = {self, count == 1 ? arguments[0] : 0};                                                         \
        if (count == 1 && is_tensor(given[1])) {                                                                       \
            void *arrays[] = {*member(given[0], python.data_at), *member(given[1], python.data_at)};                   \
            const struct array *x = arrays[0], *y = arrays[1];                                                         \
            const int64_t size = common_size(x, y);                                                                    \
            float found[MOST_SMALL];                                                                                   \
            int all_finite = size > 0 && *member(given[0], python.node_at) && *member(given[1], python.node_at);       \
            if (all_finite) {                                                                                          \
                const float *one = (const float *)x->data, *other = (const float *)y->data;                            \
                for (int64_t i = 0; i < size; i++) {                                                                   \
                    found[i] = one[i] symbol other[i];                                                                 \
                    all_finite &= fabsf(found[i]) <= FLT_MAX;                                                          \
                }                                                                                                      \
            }                                                                                                          \
            if (all_finite) {                                                                                          \
                python.take(python.element);                                                                           \
                void *made = python.new_array(python.array_kind, python.element, x->dimensions, x->shape, 0, 0, 0, 0); \
                if (!made)                                                                                             \
                    return 0;                                                                                          \
                memcpy(((struct array *)made)->data, found, size * sizeof(float));                                     \
                return finished(&name##_operator, given, arrays, made);                                                \
            }                                                                                                          \
        }                                                                                                              \
        void *all[] = {self, count > 0 ? arguments[0] : 0, count > 1 ? arguments[1] : 0};                              \
        return python.call(name##_operator.otherwise, all, 1 + (count < 2 ? count : 2), 0);                            \
    }

SMALL_OPERATOR(add, +)
SMALL_OPERATOR(sub, -)
SMALL_OPERATOR(mul, *)
SMALL_OPERATOR(div, /)
