bench/streaming/yoke-bench-streaming cuda:0 mem=1G times=4
