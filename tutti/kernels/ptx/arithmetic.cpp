// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ptx/arithmetic.hpp"

#include <fmt/core.h>

#include "tutti/base/inside.hpp"

#include "tutti/base/require.hpp"

namespace tutti::kernels {
namespace {

constexpr RegisterKind b32 = RegisterKind::b32, predicate = RegisterKind::predicate;

std::string_view name(ArithOp op) {
  switch (op) {
    case ArithOp::addi:
    case ArithOp::addf: return "add";
    case ArithOp::subi: return "sub";
    case ArithOp::muli: return "mul.lo";
    case ArithOp::mulf: return "mul";
    case ArithOp::divui:
    case ArithOp::divsi: return "div";
    case ArithOp::remui:
    case ArithOp::remsi: return "rem";
    case ArithOp::andi: return "and";
    case ArithOp::ori: return "or";
    case ArithOp::xori: return "xor";
    case ArithOp::shli: return "shl";
    case ArithOp::shrui:
    case ArithOp::shrsi: return "shr";
    case ArithOp::minsi:
    case ArithOp::minui:
    case ArithOp::minimumf: return "min";
    case ArithOp::maxsi:
    case ArithOp::maxui:
    case ArithOp::maximumf: return "max";
  }
  fail(Code::internal, "ptx: an operation without a name");
}

/// The letter of an operation's type in PTX: b for bits, s for signed, u for unsigned.
char letter(ArithOp op) {
  const bool is_bitwise =
      op == ArithOp::andi || op == ArithOp::ori || op == ArithOp::xori || op == ArithOp::shli;
  return is_bitwise ? 'b' : needs_sign(op) == Extension::zeros ? 'u' : 's';
}

// Returns NaN if x or y is NaN. max.f64 and min.f64 would return the number, and PTX has no max.NaN for f64.
std::string extremum_f64(PtxWriter& out, std::string_view op, std::string_view x, std::string_view y) {
  const std::string number = out.made(RegisterKind::b64, fmt::format("{}.f64", op), {x, y});
  const std::string is_nan = out.made(predicate, "setp.nan.f64", {x, y});
  return out.made(RegisterKind::b64, "selp.b64", {"0x7FF8000000000000", number, is_nan});
}

std::string of_floats(PtxWriter& out, ArithOp op, Scalar scalar, std::string_view x, std::string_view y) {
  const bool is_extremum = op == ArithOp::maximumf || op == ArithOp::minimumf;
  if (scalar == Scalar::f64 && is_extremum) return extremum_f64(out, name(op), x, y);
  const std::string_view how = is_extremum ? "NaN" : "rn";  // rn also keeps ptxas from contracting
  if (scalar == Scalar::f64)
    return out.made(RegisterKind::b64, fmt::format("{}.{}.f64", name(op), how), {x, y});
  const std::string a = as_f32(out, scalar, x), b = as_f32(out, scalar, y);
  return from_f32(out, scalar, out.made(b32, fmt::format("{}.{}.f32", name(op), how), {a, b}));
}

std::string of_truths(PtxWriter& out, ArithOp op, std::string_view x, std::string_view y) {
  switch (op) {
    case ArithOp::andi:
    case ArithOp::muli: return out.made(predicate, "and.pred", {x, y});
    case ArithOp::ori: return out.made(predicate, "or.pred", {x, y});
    case ArithOp::xori:
    case ArithOp::addi:
    case ArithOp::subi: return out.made(predicate, "xor.pred", {x, y});
    default: break;
  }
  const std::string_view yes = needs_sign(op) == Extension::signs ? "-1" : "1";
  const std::string a = out.made(b32, "selp.s32", {yes, "0", x}),
                    b = out.made(b32, "selp.s32", {yes, "0", y});
  const std::string low = out.made(b32, "and.b32", {of_integers(out, op, b32, a, b), "1"});
  return out.made(predicate, "setp.ne.s32", {low, "0"});
}

}  // namespace

Extension needs_sign(ArithOp op) {
  switch (op) {
    case ArithOp::divui:
    case ArithOp::remui:
    case ArithOp::shrui:
    case ArithOp::minui:
    case ArithOp::maxui: return Extension::zeros;
    case ArithOp::divsi:
    case ArithOp::remsi:
    case ArithOp::shrsi:
    case ArithOp::minsi:
    case ArithOp::maxsi: return Extension::signs;
    default: return Extension::none;
  }
}

std::string of_integers(PtxWriter& out, ArithOp op, RegisterKind kind, std::string_view x,
                        std::string_view y) {
  return out.made(kind, fmt::format("{}.{}{}", name(op), letter(op), kind == RegisterKind::b64 ? 64 : 32),
                  {x, y});
}

std::string as_f32(PtxWriter& out, Scalar scalar, std::string_view x) {
  if (scalar == Scalar::f32) return std::string(x);
  if (scalar == Scalar::bf16) return out.made(b32, "shl.b32", {x, "16"});
  return out.made(b32, "cvt.f32.f16", {out.made(RegisterKind::b16, "cvt.u16.u32", {x})});
}

std::string from_f32(PtxWriter& out, Scalar scalar, std::string_view x) {
  if (scalar == Scalar::f32) return std::string(x);
  const std::string_view how = scalar == Scalar::bf16 ? "cvt.rn.bf16.f32" : "cvt.rn.f16.f32";
  return out.made(b32, "cvt.u32.u16", {out.made(RegisterKind::b16, how, {x})});
}

std::string combined(PtxWriter& out, ArithOp op, Scalar scalar, std::string_view x, std::string_view y) {
  if (is_float(scalar)) return of_floats(out, op, scalar, x, y);
  if (scalar == Scalar::i1) return of_truths(out, op, x, y);
  const Extension extension = needs_sign(op);
  if (bits(scalar) >= 32 || extension == Extension::none)
    return of_integers(out, op, bits(scalar) == 64 ? RegisterKind::b64 : b32, x, y);
  return of_integers(out, op, b32, extended(out, extension, scalar, x), extended(out, extension, scalar, y));
}

std::string extended(PtxWriter& out, Extension extension, Scalar scalar, std::string_view x) {
  const bool is_signed = extension == Extension::signs;
  if (scalar == Scalar::i1) return out.made(b32, "selp.s32", {is_signed ? "-1" : "1", "0", x});
  if (bits(scalar) >= 32 || extension == Extension::none) return std::string(x);
  return out.made(b32, fmt::format("cvt.{0}32.{0}{1}", is_signed ? 's' : 'u', bits(scalar)), {x});
}

}  // namespace tutti::kernels
