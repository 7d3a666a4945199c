/tmp/b/bench/path/yoke-bench-path-megakernel 32 5 picture=1024x1024 shadows=1
