#include "capi/errors.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/utf8.h"

namespace sluice::capi {
namespace {

/// Writes as much of the text as fits before the NUL into the field that begins at `offset` of a
/// struct of which the program knows `size` bytes.
void write(char* field, std::size_t field_size, std::size_t offset, std::size_t size,
           std::string_view text) {
  if (size <= offset) return;
  const std::size_t room = std::min(field_size, size - offset) - 1;
  const std::string_view cut = utf8_cut(text, room);
  std::ranges::copy(cut, field);
  field[cut.size()] = '\0';
}

}  // namespace

sluice_code fail(sluice_error* error, sluice_code code, std::string_view text,
                 std::string_view reason) noexcept {
  if (error == nullptr || error->size < offsetof(sluice_error, reason)) return code;
  error->code = code;
  write(error->reason, sizeof error->reason, offsetof(sluice_error, reason), error->size, reason);
  write(error->text, sizeof error->text, offsetof(sluice_error, text), error->size, text);
  return code;
}

sluice_code refuse(sluice_error* error, const Refusal& refusal) {
  if (error == nullptr) return SLUICE_REFUSED;
  return fail(error, SLUICE_REFUSED, to_sentence(refusal), to_string(refusal.code));
}

sluice_code fail_by_exception(sluice_error* error) noexcept {
  try {
    throw;
  } catch (const std::invalid_argument& problem) {
    return fail(error, SLUICE_INVALID, problem.what());
  } catch (const std::system_error& problem) {
    return fail(error, SLUICE_SYSTEM, problem.what());
  } catch (const std::bad_alloc&) {
    return fail(error, SLUICE_SYSTEM, "out of memory");
  } catch (const std::exception& problem) {
    return fail(error, SLUICE_INTERNAL, problem.what());
  } catch (...) {
    return fail(error, SLUICE_INTERNAL, "an exception without a message");
  }
}

}  // namespace sluice::capi
