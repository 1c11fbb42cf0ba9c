# Short names for what a developer does. `make help` lists them.

# Folder of labelled pages (NAME.warc.gz and NAME.gold.jsonl.gz) for `train` and `eval`.
DATA ?= ../shared/data
# Sets whose licence allows a model trained on them to be shipped.
TRAIN_SETS ?= wcxb-dev aed424 magic-articles zhweb news-world-dev recipes-dev
# The same for sets of threads: only the scorer of threads and that of page types learn from them.
THREAD_SETS ?= qa-dev
# The same for sets of pages that are not one text: only the scorer of such pages learns from them.
LIST_SETS ?= courts-dev docs-dev events-dev records-dev
# Archives of which pages are labelled in labels/, beside those in DATA.
WARC ?= $(DATA)/../warc
# Where training leaves what cross-validation said of each page, a file a model.
JUDGED ?= out
# Sets to score on: by default every one in the folder.
EVAL_SETS ?= $(sort $(patsubst $(DATA)/%.gold.jsonl.gz,%,$(wildcard $(DATA)/*.gold.jsonl.gz)))
# Sets with whole gold texts, of any licence: they change no model.
GOLD_SETS ?= aed424 cleaneval courts-dev daniel-dev docs-dev dragnet-test dragnet-train l3s-gn1 magic-articles news-world-dev wcxb-dev zhweb
MODEL ?= models/fast.trommel

CARGO ?= cargo
# Where cargo puts what it builds.
BUILT = $(or $(CARGO_TARGET_DIR),target)
TROMMEL = $(CARGO) run --quiet --release -p trommel-cli --
QUALITY = CARGO_TARGET_DIR=$(BUILT) $(CARGO) run --quiet --profile quick --manifest-path laboratory/Cargo.toml -p trommel-quality --
# The pages that models are trained on, and those of further kinds that the scorer of lists learns from.
TRAINING_PAGES = $(patsubst %,out/sound/%.warc.gz,$(TRAIN_SETS)) out/own-training/own-labels.warc.gz
MADE_PAGES = out/made/made.warc.gz
# Pages that only `fast` learns from, and threads that only its scorer of threads learns from.
THREAD_PAGES = $(patsubst %,out/sound/%.warc.gz,$(THREAD_SETS)) out/kinds/threads.warc.gz
# Sets whose texts fill the programs of laboratory/kind-pages.
KIND_TEXTS ?= wcxb-dev magic-articles zhweb news-world-dev
LIST_PAGES = $(patsubst %,out/sound/%.warc.gz,$(LIST_SETS))
archives = $(patsubst %,$(DATA)/%.warc.gz,$(1))

.DEFAULT_GOAL := help
.PHONY: help build release demo test tokenizer-test properties bless lint package wheel instructions fuzz bench docs-check site own-labels disagreement roles training-pages made-pages kind-pages train lite by-set edits eval quality confidences formats laboratory

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

build: ## Build the program with the search index
	$(CARGO) build --release -p trommel-cli --features index

release: ## The same as it is shipped: slower to build, smaller, in out/release, with its symbols in a separate file
	$(CARGO) build --profile dist -p trommel-cli
	mkdir -p out/release
	objcopy --only-keep-debug $(BUILT)/dist/trommel out/release/trommel.debug
	objcopy --strip-all --add-gnu-debuglink=out/release/trommel.debug $(BUILT)/dist/trommel out/release/trommel
	ls -l out/release

# Only what a first result needs: no search index, no Parquet, no network, little time for optimization.
demo: ## Build quickly, run on the sample archive and show a page of each type
	$(CARGO) run --profile demo -p trommel-cli --no-default-features -- \
		run samples/wcxb-sample.warc.gz -o out/demo -f jsonl --compress none --overwrite
	@gunzip -c samples/wcxb-sample.gold.jsonl.gz | awk -f samples/show.awk - out/demo/wcxb-sample.jsonl
	@printf '\nAll documents: out/demo/wcxb-sample.jsonl\nThe program: %s\n' $(BUILT)/demo/trommel

test: ## Run all tests
	$(CARGO) test --workspace

# With the whole workspace: alone, the library would build all crates below it anew, with other features.
tokenizer-test: ## Run the tests of tokenizers, a feature that is off by default
	$(CARGO) test --workspace --features trommel/tokenizer --lib -- settings::apply

properties: ## Run the property tests with CASES (default 10000) other cases
	PROPTEST_RNG_SEED=$$(date +%s) PROPTEST_CASES=$${CASES:-10000} $(CARGO) test --workspace --lib -- engines_agree every_form_of the_memory_of

bless: ## Write the golden files anew; look at the change with git diff
	TROMMEL_BLESS=1 $(CARGO) test --workspace --test it golden_
	$(CARGO) build -p trommel-cli --features index
	scripts/command-reference.py $(BUILT)/debug/trommel

laboratory: ## Build the laboratory and run its quick tests (a workspace of its own)
	$(MAKE) -C laboratory test

lint: ## Check style, lints, documentation and the lock files
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS=-Dwarnings $(CARGO) doc --workspace --no-deps
	@for part in fuzz laboratory; do $(CARGO) metadata --locked --format-version 1 --manifest-path $$part/Cargo.toml >/dev/null || exit 1; done

docs-check: ## Check links and the English of documents, help and module heads
	$(CARGO) build -p trommel-cli --features index
	scripts/check-links.py
	scripts/style-check.py --program $(BUILT)/debug/trommel
	scripts/command-reference.py $(BUILT)/debug/trommel --check

site: ## Build the documentation site in docs/book, and check its links (needs mdbook)
	mdbook build docs
	scripts/check-links.py docs/book

package: ## Check that every crate that is published can be packaged
	$(CARGO) package --workspace --exclude trommel-python --no-verify --allow-dirty

wheel: ## Build the Python wheel, optimized, into out/wheel (needs Python 3.10 or later)
	scripts/wheel.sh build out/wheel

instructions: ## Count the instructions of a page and compare with docs/instructions.tsv (needs valgrind)
	scripts/instructions.sh

fuzz: ## Run every fuzz target for TIME seconds (default 60)
	scripts/fuzz.sh

bench: ## Time each stage on the sample archive, and hostile pages
	$(CARGO) bench -p trommel-extract --bench stages
	$(CARGO) bench -p trommel-extract --bench hostile

own-labels: build ## Make a labelled set of labels/ and the archives in DATA and WARC, in out/own-labels
	scripts/own-labels.py $(DATA) $(WARC) out/own-labels --program $(BUILT)/release/trommel || test $$? = 1

disagreement: build ## The same of labels/disagreement.jsonl, in out/disagreement; no model learns from them
	scripts/formasaurus-pages.py out/disagreement/formasaurus.warc.gz
	scripts/own-labels.py $(DATA) $(WARC) out/disagreement --labels labels/disagreement.jsonl \
	    --program $(BUILT)/release/trommel

training-pages: build
	mkdir -p $(JUDGED) out/by-set
	scripts/sound-golds.py $(DATA) out/sound $(TRAIN_SETS) $(THREAD_SETS) $(LIST_SETS)
	scripts/own-labels.py $(DATA) $(WARC) out/own-training --program $(BUILT)/release/trommel \
	    --without listing,service || test $$? = 1

# Of sets whose golds are whole.
made-pages: training-pages ## Make training pages by edits that leave the text as it is (needs lxml)
	mkdir -p out/made
	python3 laboratory/made-pages/make.py $(MADE_PAGES) $(patsubst %,out/sound/%.warc.gz,$(filter-out recipes-dev,$(TRAIN_SETS))) \
	    --pages 1000

kind-pages: ## Make pages of forums, shops, events and others by programs from the registries (needs lxml)
	mkdir -p out/kinds
	python3 laboratory/kind-pages/make.py out/kinds/kinds.warc.gz $(patsubst %,$(DATA)/%.gold.jsonl.gz,$(KIND_TEXTS)) --pages 2000
	python3 laboratory/kind-pages/make.py out/kinds/kinds-test.warc.gz $(patsubst %,$(DATA)/%.gold.jsonl.gz,$(KIND_TEXTS)) \
	    --pages 300 --test
	PYTHONPATH=laboratory/made-pages python3 laboratory/kind-pages/threads.py out/kinds/kinds.warc.gz out/kinds/threads.warc.gz

train: training-pages made-pages kind-pages lite ## Train the shipped models from DATA, labels/ and made pages
	$(TROMMEL) train --learner shipped --folds 2 --pages $(TRAINING_PAGES) $(MADE_PAGES) \
	    --threads $(THREAD_PAGES) --lists $(LIST_PAGES) -o models/fast.trommel --overwrite \
	    --judged $(JUDGED)/fast.judged

lite: training-pages ## Train the shipped model lite alone
	$(TROMMEL) train --learner lite --pages $(TRAINING_PAGES) -o models/lite.trommel --overwrite \
	    --judged $(JUDGED)/lite.judged

by-set: training-pages made-pages kind-pages ## Judge the pages of each set by models that have not seen the set
	$(TROMMEL) train --learner shipped --pages $(TRAINING_PAGES) $(MADE_PAGES) \
	    --threads $(THREAD_PAGES) --lists $(LIST_PAGES) --hold-out sets -o out/by-set/fast.trommel \
	    --judged out/by-set/fast.judged

roles: own-labels ## Train the roles of blocks (review, card ...) from labels/ and recipes-dev
	$(QUALITY) roles --pages out/own-labels/own-labels.warc.gz $(call archives,recipes-dev) \
	    --roles card,ingredient,notice,review,specification,step \
	    --date $$(date +%Y-%m-%d) -o models/roles.trommel

edits: build ## Measure how far the text depends on what stands around it (needs lxml): docs/robustness.md
	for set in wcxb-dev news-world-dev dragnet-test posts-dev; do \
	    python3 laboratory/made-pages/measure.py $(DATA)/$$set.warc.gz --program $(BUILT)/release/trommel || exit 1; \
	done

eval: build ## Score MODEL on every labelled set of DATA
	$(TROMMEL) eval --model $(MODEL) --pages $(call archives,$(EVAL_SETS))

quality: ## Set the judged pages of the models beside the floors; writes docs/quality*
	$(QUALITY) report --judged $(JUDGED)/fast.judged \
	    $(patsubst %,--by-set %,$(wildcard out/by-set/*.judged)) --data $(DATA) --out docs --details out/quality-details.md
	python3 -B scripts/figures.py

confidences: ## Make the table of confidences for run --hard-share, and print the tables of docs/quality.md
	$(QUALITY) confidences --pages $(call archives,$(GOLD_SETS)) --table models/confidences.tsv

formats: build ## Have the sample read back in every format by the programs it is for
	scripts/check-formats.sh
