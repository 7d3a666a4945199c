yoke run photons --input /tmp/tissue.mci --size 200M --devices cuda:0,cuda:1 --kernel plain --repeat 2 --baselines --verify
