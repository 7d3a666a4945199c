// 12-cpp.cpp - 01-hello.c in C++, over vectors, whose sizes yoke checks; and a largest element.
#include <cstdio>
#include <vector>
#include <yoke/yoke.h>

extern "C" const yoke_kernel saxpy, longest; // 12-cpp_kernels.c

int main()
{
    std::vector<float> x(1000000), y(x.size(), 1.0f);
    for (size_t i = 0; i < x.size(); i++)
        x[i] = (float)i;
    yoke_at_float at;
    if (yoke_for(nullptr, &saxpy, (int64_t)x.size(), 2.0f, x, y) != YOKE_OK ||
        yoke_for(nullptr, &longest, (int64_t)y.size(), y, &at) != YOKE_OK) {
        std::fprintf(stderr, "%s\n", yoke_error_text());
        return 1;
    }
    std::printf("y[10] = %g, y[%zu] = %g\n", (double)y[10], y.size() - 1, (double)y.back());
    std::printf("the largest: %g at %lld\n", (double)at.value, (long long)at.place);
}
