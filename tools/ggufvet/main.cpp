#include <cstdio>

#include <CLI/CLI.hpp>

#include "commands.h"
#include "ggufvet/base/text.h"
#include "ggufvet/types/type_registry.h"
#include "scanning.h"

namespace ggufvet::tool {

namespace {

// One line, whatever a path or an argument holds. Quotes are the message's own, so only what moves a cursor,
// reorders or hides is escaped.
void print_error(const std::string& message) {
  constexpr std::size_t kCharactersMax = 4096;
  std::string line;
  for (std::size_t at = 0, next = 0; at < message.size(); at = next) {
    static_cast<void>(next_code_point(message, next));
    const std::string_view character = std::string_view(message).substr(at, next - at);
    if (character == "\"" || character == "\\")
      line += character;
    else
      append_escaped(line, character);
    if (line.size() > kCharactersMax) break;
  }
  std::fprintf(stderr, "ggufvet: %s\n", line.c_str());
}

}  // namespace

int usage_error(const std::string& message) {
  print_error(message);
  return kExitUsage;
}

int world_error(const std::string& message) {
  print_error(message);
  return kExitUndecided;
}

namespace {

// What of a command line has to be looked up before a command can run.
struct VetWords {
  std::string profile;
  std::string reader;
  std::string dialect;
};

void add_vet_options(CLI::App& command, VetWords& words, VetOptions& options) {
  auto* const profile = command.add_option("--profile", words.profile, "hardened (default), publish or spec")
                            ->check(CLI::IsMember({"hardened", "publish", "spec"}));
  command.add_option("--as", words.reader, "judge exactly as this reader does: ggml")
      ->check(CLI::IsMember({"ggml"}))
      ->excludes(profile);
  command.add_option(
      "--dialect", words.dialect,
      "what tensor type ids mean: ggml (default), ik_llama, … (`ggufvet types --dialects` lists them)");
  command
      .add_option("--findings-max", options.limits.findings_max,
                  "findings listed in a report (1000); all are counted")
      ->check(CLI::PositiveNumber);
  command.add_option("--tensors-max", options.limits.tensors_max, "undecided above this many tensors");
  command.add_option("--pairs-max", options.limits.pairs_max, "undecided above this many metadata pairs");
  command.add_option("--directory-bytes-max", options.limits.directory_bytes_max,
                     "undecided above this many bytes of header, metadata and directory");
}

// False after a one-line error when there is no such dialect. No name leaves the answer empty.
[[nodiscard]] bool find_named_dialect(const std::string& name, std::optional<DialectId>& dialect_id) {
  if (name.empty()) return true;
  dialect_id = find_dialect(name);
  if (!dialect_id)
    usage_error("no dialect is called \"" + name + "\"; `ggufvet types --dialects` lists them");
  return dialect_id.has_value();
}

[[nodiscard]] bool apply(const VetWords& words, VetOptions& options) {
  if (!words.profile.empty()) options.profile = *find_profile(words.profile);
  if (!words.reader.empty()) options.profile = *find_profile(words.reader);
  return find_named_dialect(words.dialect, options.dialect);
}

void add_output_options(CLI::App& command, std::string& format, std::string& output,
                        const std::vector<std::string>& formats) {
  command.add_option("--format", format, "how to write it")
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  command.add_option("-o,--output", output,
                     "write to this file, whole or not at all, instead of standard output");
}

struct CommandLine {
  CheckOptions check;
  FileOptions show, bytes;
  CatalogueOptions rules, types, explain;
  VetWords check_words, show_words, bytes_words;
  DecodeOptions decode, quantize;
  std::string decode_dialect, quantize_dialect;
  HashOptions hash;
  VerifyOptions verify;
  DiffOptions diff;
  CompareOptions compare;
  std::string hash_dialect, verify_dialect, diff_dialect, compare_dialect;
  bool list_dialects = false;
};

void add_check(CLI::App& app, CommandLine& line) {
  CLI::App& command =
      *app.add_subcommand("check", "Vet files: is each whole, sane and safe to hand to a loader?");
  command
      .add_option("files", line.check.paths,
                  "files, directories searched for *.gguf, or - for standard input")
      ->required();
  add_vet_options(command, line.check_words, line.check.vet);
  command.add_flag("--deep", line.check.vet.deep.scan, "read the tensors' data as well: broken scales, NaN, zeros");
  line.check.vet.deep.jobs = default_jobs();
  command.add_option("--jobs", line.check.vet.deep.jobs, "threads that scan tensor data")->check(CLI::PositiveNumber);
  add_output_options(command, line.check.format, line.check.output, {"text", "json", "jsonl"});
  command.add_flag("--no-set", line.check.alone, "look at a shard of a split set without the others");
  command.add_option("--fail-on", line.check.fail_on, "what makes the exit status 1")
      ->check(CLI::IsMember({"error", "warning"}))
      ->capture_default_str();
}

void add_looks(CLI::App& app, CommandLine& line) {
  CLI::App& show = *app.add_subcommand("show", "Metadata, tensors and how bytes are shared among types");
  show.add_option("file", line.show.path, "a file, or - for standard input")->required();
  show.add_flag("--full", line.show.full, "values and lists in whole length");
  auto* const metadata = show.add_flag("--metadata", line.show.metadata_only, "metadata only");
  show.add_flag("--tensors", line.show.tensors_only, "tensors only")->excludes(metadata);
  show.add_flag("--stats", line.show.stats, "figures about each tensor's decoded values, with histograms");
  line.show.jobs = default_jobs();
  show.add_option("--jobs", line.show.jobs, "threads that decode for --stats")->check(CLI::PositiveNumber);
  add_vet_options(show, line.show_words, line.show.vet);
  add_output_options(show, line.show.format, line.show.output, {"text", "json"});

  CLI::App& bytes = *app.add_subcommand("bytes", "Every byte of a file accounted for, field by field");
  bytes.add_option("file", line.bytes.path, "a file, or - for standard input")->required();
  bytes.add_flag("--full", line.bytes.full, "every element of every array");
  add_vet_options(bytes, line.bytes_words, line.bytes.vet);
  add_output_options(bytes, line.bytes.format, line.bytes.output, {"text", "json"});
}

void add_catalogue(CLI::App& app, CommandLine& line) {
  CLI::App& rules = *app.add_subcommand("rules", "All rules and how bad each profile finds them");
  add_output_options(rules, line.rules.format, line.rules.output, {"text", "json"});

  CLI::App& types = *app.add_subcommand("types", "Tensor types of a dialect");
  types.add_option("--dialect", line.types.dialect, "ggml unless named");
  auto* const conflicts = types.add_flag("--conflicts", line.types.conflicts,
                                         "ids that mean different things in different dialects");
  types.add_flag("--dialects", line.list_dialects, "the dialects there are")->excludes(conflicts);
  add_output_options(types, line.types.format, line.types.output, {"text", "json"});

  CLI::App& explain = *app.add_subcommand("explain", "More about a rule, a tensor type or a type id");
  explain
      .add_option("subject", line.explain.subject, "a slug, a type's name, or an id: file-empty, Q4_K, 42")
      ->required();
  add_output_options(explain, line.explain.format, line.explain.output, {"text", "json"});
}

void add_codecs(CLI::App& app, CommandLine& line) {
  constexpr const char* kDialectWords = "the dialect the type belongs to, ggml unless named";
  CLI::App& decode = *app.add_subcommand("decode", "A tensor of a file, or bare blocks, to floats");
  decode.add_option("input", line.decode.input, "a GGUF file, or with --type a file of blocks")->required();
  decode.add_option("tensor", line.decode.tensor, "the tensor's name");
  decode.add_option("--type", line.decode.type, "the type of bare blocks");
  decode.add_option("--row", line.decode.row_elements,
                    "elements in a row of bare blocks (default: all are one row)");
  decode.add_option("--dialect", line.decode_dialect, kDialectWords);
  decode
      .add_option("-o,--output", line.decode.output,
                  "OUT.npy, or anything else for bare little-endian floats")
      ->required();

  CLI::App& quantize =
      *app.add_subcommand("quantize", "Floats to blocks, as the reference's row quantiser gives them");
  quantize.add_option("input", line.quantize.input, "a file of little-endian floats")->required();
  quantize.add_option("--type", line.quantize.type, "the type of the blocks")->required();
  quantize.add_option("--dialect", line.quantize_dialect, kDialectWords);
  quantize.add_option("-o,--output", line.quantize.output, "the file of blocks")->required();
}

void add_jobs(CLI::App& command, unsigned& jobs, const char* words) {
  jobs = default_jobs();
  command.add_option("--jobs", jobs, words)->check(CLI::PositiveNumber);
}

void add_dialect(CLI::App& command, std::string& dialect_name) {
  command.add_option("--dialect", dialect_name, "what tensor type ids mean: ggml (default), ik_llama, …");
}

void add_hashes(CLI::App& app, CommandLine& line) {
  CLI::App& hash = *app.add_subcommand("hash", "Digests of tensors and models, in the lines of mainline's gguf-hash");
  hash.add_option("files", line.hash.paths, "files; a shard stands for its set")->required();
  const auto algorithm = [&](const char* name, std::vector<std::string> names, const char* words) {
    hash.add_flag_callback(
        name, [&line, names] { line.hash.algorithms.insert(line.hash.algorithms.end(), names.begin(), names.end()); }, words);
  };
  algorithm("--xxh3", {"xxh3_128"}, "XXH3 of 128 bits (default): the fastest");
  algorithm("--xxh64", {"xxh64"}, "XXH64");
  algorithm("--sha1", {"sha1"}, "SHA-1");
  algorithm("--sha256", {"sha256"}, "SHA-256");
  algorithm("--all", {"xxh64", "sha1", "sha256"}, "the three that gguf-hash has");
  algorithm("--uuid", {"uuid"}, "a version 5 UUID of the model");
  hash.add_flag("!--no-layer", line.hash.layers, "no lines for single tensors");
  hash.add_flag("--alone", line.hash.alone, "a shard as a model of its own");
  hash.add_flag("--file", line.hash.whole_file, "SHA-256 of whole files, in the lines of sha256sum");
  add_jobs(hash, line.hash.jobs, "threads that hash");
  add_dialect(hash, line.hash_dialect);
  add_output_options(hash, line.hash.format, line.hash.output, {"text", "json"});

  CLI::App& verify = *app.add_subcommand("verify", "Whether files still have the digests of a manifest");
  verify.add_option("manifest", line.verify.manifest, "lines of hash, gguf-hash or sha256sum; - for standard input")->required();
  verify.add_option("file", line.verify.file, "the model, when it goes by another path than in the manifest");
  verify.add_flag("--alone", line.verify.alone, "a shard as a model of its own");
  add_jobs(verify, line.verify.jobs, "threads that hash");
  add_dialect(verify, line.verify_dialect);
  add_output_options(verify, line.verify.format, line.verify.output, {"text", "json"});
}

void add_comparisons(CLI::App& app, CommandLine& line) {
  CLI::App& diff = *app.add_subcommand("diff", "What two models say differently; exit status 1 when they do");
  diff.add_option("a", line.diff.a, "a file; a shard stands for its set")->required();
  diff.add_option("b", line.diff.b, "another")->required();
  add_dialect(diff, line.diff_dialect);
  add_output_options(diff, line.diff.format, line.diff.output, {"text", "json"});

  CLI::App& compare = *app.add_subcommand("compare", "How far a quantised model is from its reference, worst tensors first");
  compare.add_option("reference", line.compare.reference, "the model it was made of")->required();
  compare.add_option("quantised", line.compare.quantised, "the model to judge")->required();
  compare.add_option("--limit", line.compare.limits, "TYPE:MEASURE=NUMBER, as in Q4_0:relative=0.12; * for every type");
  compare.add_option("--limits", line.compare.limits_file, "a file of such limits, one a line");
  add_dialect(compare, line.compare_dialect);
  add_output_options(compare, line.compare.format, line.compare.output, {"text", "json"});
}

template <class Options>
[[nodiscard]] int run_reading(const std::string& dialect_name, Options& options, int (*command)(const Options&)) {
  if (!find_named_dialect(dialect_name, options.vet.dialect)) return kExitUsage;
  return command(options);
}

[[nodiscard]] int run_codec(const std::string& dialect_name, DecodeOptions& options,
                            int (*command)(const DecodeOptions&)) {
  if (!find_named_dialect(dialect_name, options.dialect)) return kExitUsage;
  return command(options);
}

[[nodiscard]] int dispatch(const CLI::App& app, CommandLine& line) {
  if (app.got_subcommand("check"))
    return apply(line.check_words, line.check.vet) ? run_check(line.check) : kExitUsage;
  if (app.got_subcommand("show"))
    return apply(line.show_words, line.show.vet) ? (line.show.stats ? run_statistics : run_show)(line.show) : kExitUsage;
  if (app.got_subcommand("bytes"))
    return apply(line.bytes_words, line.bytes.vet) ? run_bytes(line.bytes) : kExitUsage;
  if (app.got_subcommand("hash")) return run_reading(line.hash_dialect, line.hash, run_hash);
  if (app.got_subcommand("verify")) return run_reading(line.verify_dialect, line.verify, run_verify);
  if (app.got_subcommand("diff")) return run_reading(line.diff_dialect, line.diff, run_diff);
  if (app.got_subcommand("compare")) return run_reading(line.compare_dialect, line.compare, run_compare);
  if (app.got_subcommand("decode")) return run_codec(line.decode_dialect, line.decode, run_decode);
  if (app.got_subcommand("quantize")) return run_codec(line.quantize_dialect, line.quantize, run_quantize);
  if (app.got_subcommand("rules")) return run_rules(line.rules);
  if (line.list_dialects) line.types.subject = "dialects";
  if (app.got_subcommand("types")) return run_types(line.types);
  return run_explain(line.explain);
}

// The commands there are, and which one was named. CLI11 looks for missing commands before it looks for
// unknown ones.
struct CommandNames {
  CommandNames(CLI::App& app, int argc, char** argv) {
    for (const CLI::App* const command : app.get_subcommands(nullptr)) {
      all += (all.empty() ? "" : ", ") + command->get_name();
      if (argc > 1 && command->get_name() == argv[1]) named = argv[1];
    }
  }

  std::string all;
  std::string named;  // empty when none was, or one that there is not
};

[[nodiscard]] int report_usage(CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
  const CommandNames commands(app, argc, argv);
  if (!commands.named.empty())
    return usage_error(std::string(error.what()) + " (`ggufvet " + commands.named + " --help` says more)");
  std::string problem = "name a command";
  if (argc > 1)
    problem = std::string(argv[1][0] == '-' ? "a command comes first, not" : "there is no command") + " \"" +
              argv[1] + '"';
  return usage_error(problem + "; commands are " + commands.all + " (`ggufvet --help` says more)");
}

[[nodiscard]] int run(int argc, char** argv) {
  CLI::App app{"Vets GGUF model files before anything loads them.", "ggufvet"};
  app.footer(
      "Exit status: 0 accepted or done, 1 rejected, 2 wrong usage, 3 undecided (unreadable, or over a "
      "limit).\n\n"
      "  ggufvet check model.gguf          may I hand this file to a loader?\n"
      "  ggufvet check --format json DIR   the same for every *.gguf below DIR, for programs\n"
      "  ggufvet show model.gguf           what is in it\n"
      "  ggufvet bytes model.gguf          what each of its bytes means");
  app.set_version_flag("--version", std::string("ggufvet ") + GGUFVET_VERSION);
  app.require_subcommand(1);
  CommandLine line;
  add_check(app, line);
  add_looks(app, line);
  add_catalogue(app, line);
  add_codecs(app, line);
  add_hashes(app, line);
  add_comparisons(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, argc, argv);
  }
  return dispatch(app, line);
}

}  // namespace
}  // namespace ggufvet::tool

int main(int argc, char** argv) {
  try {
    return ggufvet::tool::run(argc, argv);
  } catch (const std::exception& error) {
    return ggufvet::tool::world_error(error.what());
  }
}
