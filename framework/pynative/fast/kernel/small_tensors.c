/* `x + y` for small tensors in PyNative mode, in one call; `../generated_calls.py` writes the same in Python.
 *
 * An extension module of CPython. Its methods take tensors, make the array and the tensor of the result, and record it
 * on the tape if an input is active. They leave everything that is not two arrays of Float32 and of one shape, row by
 * row, to the function in Python, which also finds out what numpy says about numbers that are not finite.
 */

#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <Python.h>
#include <structmember.h>

#include <numpy/arrayobject.h>

#include <float.h>
#include <math.h>
#include <string.h>

#ifndef SOURCE
#define SOURCE ""
#endif

#define INLINE static inline __attribute__((always_inline))
#define MOST_SMALL 1024
#define MOST_DIMENSIONS 8
#define OPERATORS 4

/* Names the source that the module was made from. */
static const char source[] = "small_tensors.c " SOURCE;

typedef int (*loop)(const float *x, const float *y, float *made, npy_intp size);

struct small_operator {
    PyObject *primitive, *otherwise;
};

static struct small_operator operators[OPERATORS];
static PyTypeObject *tensor_type;
static PyArray_Descr *element;
/* The slots of a tensor: its array, and the number of the entry that made it. */
static Py_ssize_t data_at, node_at;
/* The tape. Tensors with larger numbers than `base` are active. */
static PyObject *entries;
static Py_buffer base_memory;

INLINE long long active_base(void) {
    long long base;
    memcpy(&base, base_memory.buf, sizeof base);
    return base;
}

INLINE PyObject **slot(PyObject *object, Py_ssize_t at) {
    return (PyObject **)((char *)object + at);
}

INLINE int is_small(PyObject *x) {
    return x && PyArray_CheckExact(x) && PyArray_DESCR((PyArrayObject *)x) == element &&
           PyArray_CHKFLAGS((PyArrayObject *)x, NPY_ARRAY_CARRAY_RO) &&
           PyArray_NDIM((PyArrayObject *)x) <= MOST_DIMENSIONS;
}

/* The number of elements of two arrays of one shape; 0 if they are not, or too large. */
INLINE npy_intp common_size(PyObject *one, PyObject *other) {
    if (!is_small(one) || !is_small(other))
        return 0;
    PyArrayObject *x = (PyArrayObject *)one, *y = (PyArrayObject *)other;
    npy_intp size = 1;
    if (PyArray_NDIM(x) != PyArray_NDIM(y))
        return 0;
    for (int i = 0; i < PyArray_NDIM(x); i++) {
        if (PyArray_DIM(x, i) != PyArray_DIM(y, i) || PyArray_DIM(x, i) > MOST_SMALL)
            return 0;
        size *= PyArray_DIM(x, i);
        if (size > MOST_SMALL)
            return 0;
    }
    return size;
}

/* The number of the entry that a result gets on the tape; 0 for none. NULL with an exception. */
static PyObject *recorded(const struct small_operator *operator, PyObject *const *given, PyObject *made) {
    PyObject *first = *slot(given[0], node_at), *second = *slot(given[1], node_at);
    const long long base = active_base();
    if (PyLong_AsLongLong(first) <= base && PyLong_AsLongLong(second) <= base)
        return PyErr_Occurred() ? NULL : PyLong_FromLong(0);
    PyObject *x = *slot(given[0], data_at), *y = *slot(given[1], data_at);
    PyObject *entry = PyTuple_Pack(6, operator->primitive, first, second, x, y, made);
    if (!entry)
        return NULL;
    const int failed = PyList_Append(entries, entry);
    Py_DECREF(entry);
    return failed ? NULL : PyLong_FromLongLong(base + PyList_GET_SIZE(entries));
}

/* Makes a tensor of an array, which it takes over, as the output of an operator; NULL with an exception. */
static PyObject *finished(const struct small_operator *operator, PyObject *const *given, PyObject *made) {
    PyObject *node = recorded(operator, given, made);
    PyObject *tensor = node ? tensor_type->tp_alloc(tensor_type, 0) : NULL;
    if (!tensor) {
        Py_DECREF(made);
        Py_XDECREF(node);
        return NULL;
    }
    *slot(tensor, data_at) = made;
    *slot(tensor, node_at) = node;
    return tensor;
}

INLINE PyObject *run(const struct small_operator *operator, loop compute, PyObject *self, PyObject *const *arguments,
                     Py_ssize_t count) {
    PyObject *given[] = {self, count == 1 ? arguments[0] : NULL};
    if (count == 1 && PyObject_TypeCheck(given[1], tensor_type) && *slot(given[0], node_at) &&
        *slot(given[1], node_at)) {
        PyObject *x = *slot(given[0], data_at), *y = *slot(given[1], data_at);
        const npy_intp size = common_size(x, y);
        float found[MOST_SMALL];
        if (size > 0 && compute(PyArray_DATA((PyArrayObject *)x), PyArray_DATA((PyArrayObject *)y), found, size)) {
            Py_INCREF(element);
            PyObject *made = PyArray_NewFromDescr(&PyArray_Type, element, PyArray_NDIM((PyArrayObject *)x),
                                                  PyArray_DIMS((PyArrayObject *)x), NULL, NULL, 0, NULL);
            if (!made)
                return NULL;
            memcpy(PyArray_DATA((PyArrayObject *)made), found, (size_t)size * sizeof(float));
            return finished(operator, given, made);
        }
    }
    PyObject *all[] = {self, count > 0 ? arguments[0] : NULL, count > 1 ? arguments[1] : NULL};
    return PyObject_Vectorcall(operator->otherwise, all, 1 + (size_t)(count < 2 ? count : 2), NULL);
}

/* `compute_*` returns whether all results are finite. */
#define SMALL_OPERATOR(place, name, symbol)                                                                            \
    INLINE int compute_##name(const float *x, const float *y, float *made, npy_intp size) {                            \
        int all_finite = 1;                                                                                            \
        for (npy_intp i = 0; i < size; i++) {                                                                          \
            made[i] = x[i] symbol y[i];                                                                                \
            all_finite &= fabsf(made[i]) <= FLT_MAX;                                                                   \
        }                                                                                                              \
        return all_finite;                                                                                             \
    }                                                                                                                  \
    static PyObject *small_##name(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {                      \
        return run(&operators[place], compute_##name, self, arguments, count);                                         \
    }

SMALL_OPERATOR(0, add, +)
SMALL_OPERATOR(1, sub, -)
SMALL_OPERATOR(2, mul, *)
SMALL_OPERATOR(3, div, /)

#define METHOD(name, function) {name, (PyCFunction)(void (*)(void))function, METH_FASTCALL, NULL}

/* The functions in Python bring the documentation. */
static PyMethodDef definitions[OPERATORS] = {
    METHOD("__add__", small_add),
    METHOD("__sub__", small_sub),
    METHOD("__mul__", small_mul),
    METHOD("__truediv__", small_div),
};

/* The offset of a slot of `tensor_type`; -1 with an exception. */
static Py_ssize_t offset_of(const char *name) {
    PyObject *described = PyObject_GetAttrString((PyObject *)tensor_type, name);
    if (!described)
        return -1;
    Py_ssize_t offset = -1;
    if (Py_TYPE(described) == &PyMemberDescr_Type)
        offset = ((PyMemberDescrObject *)described)->d_member->offset;
    else
        PyErr_Format(PyExc_TypeError, "%s is not a slot", name);
    Py_DECREF(described);
    return offset;
}

/* One method of `methods`, from the tuple (primitive, function, documentation); NULL with an exception. */
static PyObject *method(int place, PyObject *given) {
    PyObject *primitive, *otherwise, *text;
    if (!given) {
        PyErr_Format(PyExc_KeyError, "%s", definitions[place].ml_name);
        return NULL;
    }
    if (!PyArg_ParseTuple(given, "OOS", &primitive, &otherwise, &text))
        return NULL;
    /* Kept until the process ends, like the methods. */
    Py_INCREF(given);
    operators[place] = (struct small_operator){primitive, otherwise};
    definitions[place].ml_doc = PyBytes_AS_STRING(text);
    return PyDescr_NewMethod(tensor_type, &definitions[place]);
}

static PyObject *methods(PyObject *self, PyObject *arguments) {
    (void)self;
    PyObject *kind, *list, *active_from, *given;
    if (!PyArg_ParseTuple(arguments, "O!O!OO!", &PyType_Type, &kind, &PyList_Type, &list, &active_from, &PyDict_Type,
                          &given))
        return NULL;
    if (tensor_type) {
        PyErr_SetString(PyExc_RuntimeError, "the methods have been made");
        return NULL;
    }
    if (PyObject_GetBuffer(active_from, &base_memory, PyBUF_SIMPLE))
        return NULL;
    if (base_memory.len != sizeof(long long)) {
        PyErr_SetString(PyExc_TypeError, "the number of the last inactive entry must have 64 bits");
        return NULL;
    }
    tensor_type = (PyTypeObject *)Py_NewRef(kind);
    entries = Py_NewRef(list);
    element = PyArray_DescrFromType(NPY_FLOAT32);
    data_at = offset_of("_data");
    node_at = offset_of("_node");
    if (data_at < 0 || node_at < 0)
        return NULL;
    PyObject *made = PyDict_New();
    for (int place = 0; made && place < OPERATORS; place++) {
        const char *name = definitions[place].ml_name;
        PyObject *one = method(place, PyDict_GetItemString(given, name));
        if (!one || PyDict_SetItemString(made, name, one))
            Py_CLEAR(made);
        Py_XDECREF(one);
    }
    return made;
}

static PyMethodDef functions[] = {
    {"methods", methods, METH_VARARGS,
     PyDoc_STR("methods(tensor_type, entries, active_from, operators, /)\n--\n\n"
               "Make the methods of Tensor, by their names.\n\n"
               "operators: by name of a method the tuple (primitive, function, documentation as bytes).")},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_small_tensors", PyDoc_STR("Operators on small tensors."), -1, functions,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__small_tensors(void) {
    import_array();
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddStringConstant(made, "source", source))
        Py_CLEAR(made);
    return made;
}
