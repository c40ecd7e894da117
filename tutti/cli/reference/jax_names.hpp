// SPDX-License-Identifier: Apache-2.0
// The rows of docs/numpy.md and docs/from_jax.md about JAX's names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::cli {

/// A row of a table, or of a list of names that are no functions.
struct JaxRow {
  std::vector<std::string> names = {};      // "std"; those of one row share what is said
  std::string module = {};                  // "jax.numpy"; empty: see theirs
  std::string theirs = {};                  // of docs/from_jax.md the first cell: "jax.jvp, jax.vjp"
  std::vector<std::string> codes = {};      // marked as code in the first cell
  std::vector<std::string> our_codes = {};  // marked as code in the second cell
  std::string ours = {};                    // "stddev(x)"; "composed", "refused", or empty for no function
  std::string note = {};                    // how, why not, or what differs; may be empty

  bool is_refused() const { return ours == "refused"; }
  bool is_composed() const { return ours == "composed"; }
  /// True if our function has the same name.
  bool is_same() const;
  /// "jax.numpy.std", or the code of the first cell that has the name.
  std::string theirs_of(std::string_view name) const;
  /// The second cell, or the code there that corresponds to theirs_of.
  std::string ours_of(std::string_view name) const;
};

/// All rows, docs/from_jax.md first, without the marks of code.
const std::vector<JaxRow>& jax_rows();

/// The rows of a name, with or without its module: "std", "jnp.std", "jax.numpy.std".
std::vector<const JaxRow*> rows_of(std::string_view name);

/// One sentence, and what the page adds: "jax.numpy.std is stddev(x) here."
std::string in_a_sentence(const JaxRow& row, std::string_view name);

/// The functions that a row leads to from a name, in order: "stddev".
std::vector<std::string> leads_to(const JaxRow& row, std::string_view name);

/// "std" of "jax.numpy.std", "np.std", "tutti::stddev".
std::string_view without_module(std::string_view name);

}  // namespace tutti::cli
