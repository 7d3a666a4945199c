bench/yoke-bench-mm 7000 double 5
