"""Measures how the form of a kernel's entry and the shape of its blocks affect its time. CuPy, one GPU: python3 shapes.py

loop64   grid-stride loops with 64-bit counters
flat64   one thread per index, 64-bit indexes
narrow   32-bit indexes in the entry, 64-bit ones in the body
mix      the body's index has 32 bits, the indexes that it computes have 64
int32    32 bits everywhere
Medians of 12 measurements of 3 launches, in ms.
"""
import cupy as cp
import numpy as np

HEAD = "typedef long int64_t;\n#define FN static __device__ __forceinline__\n"

# name: dimensions, extents, parameters, their names, body. L is the type of the body's computed indexes.
ARRAYS = "int64_t rows, const float *__restrict__ u, float *__restrict__ w"
KERNELS = {
    "saxpy": (1, (1 << 28, 1, 1), "float a, const float *__restrict__ x, float *__restrict__ y", "a, x, y",
              "y[i] = a * x[i] + y[i];"),
    "stencil": (3, (512, 512, 512), ARRAYS, "rows, u, w", """
        const L nx = s3, ny = s2, at = (i * ny + j) * nx + k;
        if (i == 0 || i == rows - 1 || j == 0 || j == ny - 1 || k == 0 || k == nx - 1) w[at] = u[at];
        else w[at] = 0.25f * u[at] + 0.125f * (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] + u[at - ny * nx] + u[at + ny * nx]);"""),
    "blur down": (2, (8192, 8192, 1), ARRAYS, "rows, u, w", """
        float s = 0;
        for (int t = -4; t <= 4; t++) { L r = i + t; r = r < 0 ? 0 : r >= rows ? rows - 1 : r; s += u[r * s2 + j]; }
        w[i * s2 + j] = s * (1.0f / 9);"""),
    "blur across": (2, (8192, 8192, 1), ARRAYS, "rows, u, w", """
        float s = 0;
        for (int t = -4; t <= 4; t++) { L r = j + t; r = r < 0 ? 0 : r >= s2 ? s2 - 1 : r; s += u[i * s2 + r]; }
        w[i * s2 + j] = s * (1.0f / 9);"""),
    "mandelbrot": (2, (8192, 8192, 1), ARRAYS, "rows, u, w", """
        const float cx = -2.0f + 3.0f * (float)j / (float)s2, cy = -1.5f + 3.0f * (float)i / (float)rows;
        float x = 0, y = 0; int n = 0;
        while (n < 64 && x * x + y * y < 4.0f) { const float t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; n++; }
        w[i * s2 + j] = n;"""),
}
# form: types of the entry's indexes, of the body's index, and of the body's computed indexes
FORMS = {"loop64": ("int64_t", "int64_t", "int64_t"), "flat64": ("int64_t", "int64_t", "int64_t"),
         "narrow": ("int", "int64_t", "int64_t"), "mix": ("int", "int", "int64_t"), "int32": ("int", "int", "int")}
SHAPES = {1: [(128,), (256,), (512,), (1024,)],
          2: [(64, 4), (128, 1), (256, 1), (128, 2), (32, 8), (512, 1), (32, 4), (16, 16)],
          3: [(64, 4, 1), (128, 1, 1), (256, 1, 1), (128, 2, 1), (32, 8, 1), (512, 1, 1), (32, 4, 2), (8, 8, 8), (64, 2, 2)]}
GRID_MOST = (2**31 - 1, 65535, 65535)


def source(form, dimensions, parameters, names, body):
    entry, index, computed = FORMS[form]
    letters, limits = "ijk"[:dimensions], ("last", "s2", "s3")
    axes = {1: "x", 2: "yx", 3: "zyx"}[dimensions]
    call = "body(%s, s2, s3, %s);" % (", ".join(letters), names)
    lines = []
    for letter, axis, limit in zip(letters, axes, limits):
        first = "first + " if letter == "i" else ""
        place = "%s(%s)(blockIdx.%s * blockDim.%s + threadIdx.%s)" % (first, entry, axis, axis, axis)
        if form == "loop64":
            lines.append("for (%s %s = %s; %s < %s; %s += (%s)gridDim.%s * blockDim.%s)"
                         % (entry, letter, place, letter, limit, letter, entry, axis, axis))
        else:
            lines.append("const %s %s = %s; if (%s >= %s) return;" % (entry, letter, place, letter, limit))
    return (HEAD + "#define L %s\n" % computed
            + "FN void body(%s, %s s2, %s s3, %s) { %s }\n"
            % (", ".join(index + " " + c for c in letters), index, index, parameters, body)
            + 'extern "C" __global__ void k(%s first, %s last, %s s2, %s s3, %s) { %s %s }'
            % (entry, entry, entry, entry, parameters, " ".join(lines), call))


def milliseconds(launch):
    for _ in range(3):
        launch()
    times = []
    for _ in range(12):
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        begin.record()
        for _ in range(3):
            launch()
        end.record()
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(begin, end) / 3)
    return float(np.median(times))


for name, (dimensions, extents, parameters, names, body) in KERNELS.items():
    count = extents[0] * extents[1] * extents[2]
    u, w = cp.random.rand(count, dtype=cp.float32), cp.empty(count, cp.float32)
    values = (cp.float32(1.5), u, w) if name == "saxpy" else (np.int64(extents[0]), u, w)
    found = {}
    for form in FORMS:
        kernel = cp.RawKernel(source(form, dimensions, parameters, names, body), "k", options=("--std=c++17",))
        whole = np.int64 if FORMS[form][0] == "int64_t" else np.int32
        arguments = (whole(0),) + tuple(whole(e) for e in extents) + values
        for shape in SHAPES[dimensions]:
            grid = tuple(min((e + b - 1) // b, most) for e, b, most in zip(extents[:dimensions][::-1], shape, GRID_MOST))
            found[form, shape] = milliseconds(lambda: kernel(grid, shape, arguments))
    print(name, " ".join("%s %.3f" % (form, min(t for (f, _), t in found.items() if f == form)) for form in FORMS))
    for shape in SHAPES[dimensions]:
        print("   ", shape, " ".join("%.4f" % found[form, shape] for form in FORMS))
