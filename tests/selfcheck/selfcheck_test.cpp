// The selfcheck must be able to fail: with the planted faults taken out every expected one is
// missed, with faults in the controls every control is red.
#include "selfcheck/selfcheck.hpp"

#include <gtest/gtest.h>

#include <map>

#include "core/text.hpp"
#include "selfcheck/faults.hpp"

namespace wm::selfcheck_kernels {
void register_all(Catalog& catalog);
}
namespace wm::selfcheck_race_kernels {
void register_all(Catalog& catalog);
}

namespace wm::selfcheck {
namespace {

CatalogSet catalogs() {
  CatalogSet set;
  selfcheck_kernels::register_all(set.selfcheck);
  selfcheck_race_kernels::register_all(set.selfcheck_race);
  return set;
}

/// Every name that begins with `from` begins with `to` instead; the variants so named are dropped.
Catalog renamed(const Catalog& catalog, const std::string& from, const std::string& to) {
  Catalog result;
  for (Variant variant : catalog.variants()) {
    std::string& name = variant.id.algorithm;
    if (!name.starts_with(from)) continue;
    result.add(variant);
    name = to + name.substr(from.size());
    result.add(variant);
  }
  return result;
}

std::vector<Row> rows_of(const CatalogSet& set) {
  std::vector<Row> rows;
  run(set, [&](const Row& row) { rows.push_back(row); });
  return rows;
}

TEST(Selfcheck, EveryRowIsGood) {
  int faults_seen = 0;
  for (const Row& row : rows_of(catalogs())) {
    EXPECT_TRUE(row.good()) << row.fault << " " << row.recipe << ": " << row.reason;
    EXPECT_TRUE(row.ran);
    EXPECT_FALSE(row.reason.empty());
    faults_seen += row.control ? 0 : 1;
  }
  EXPECT_EQ(faults_seen, 2 * static_cast<int>(faults().size()));
}

TEST(Selfcheck, KernelsWithoutTheirFaultAreMissed) {
  CatalogSet set = catalogs();
  set.selfcheck = renamed(set.selfcheck, "sound_", "faulty_");
  set.selfcheck_race = renamed(set.selfcheck_race, "sound_", "faulty_");
  std::map<std::string, bool> is_kernel;
  for (const Fault& fault : faults()) is_kernel[fault.name] = !fault.corruption;
  for (const Row& row : rows_of(set)) {
    if (row.control || !is_kernel.at(row.fault)) {
      EXPECT_TRUE(row.good()) << row.fault << ": " << row.reason;
    } else {
      EXPECT_FALSE(row.caught);
      EXPECT_EQ(row.good(), !row.expected) << row.fault << " " << row.recipe;
    }
  }
}

TEST(Selfcheck, ARedControlIsNotGood) {
  CatalogSet set = catalogs();
  set.selfcheck = renamed(set.selfcheck, "faulty_", "sound_");
  set.selfcheck_race = renamed(set.selfcheck_race, "faulty_", "sound_");
  const auto seen_by_exact = [](const std::string& name) {
    for (const Fault& fault : faults())
      if ("control: " + fault.name == name) return !fault.exact_gate.empty();
    return false;
  };
  int controls = 0;
  for (const Row& row : rows_of(set)) {
    if (!row.control || row.recipe != "exact" || !seen_by_exact(row.fault)) continue;
    ++controls;
    EXPECT_FALSE(row.good()) << row.fault;
  }
  EXPECT_EQ(controls, 6);
}

TEST(Selfcheck, WithoutTheRaceFlavourItSaysSo) {
  CatalogSet set = catalogs();
  set.selfcheck_race = Catalog{};
  int not_run = 0;
  for (const Row& row : rows_of(set)) {
    EXPECT_TRUE(row.good());
    if (row.ran) continue;
    ++not_run;
    EXPECT_EQ(row.reason, "this build has no emu-race");
  }
  EXPECT_EQ(not_run, 2);
}

TEST(Selfcheck, EveryBlindRecipeSaysWhy) {
  for (const Fault& fault : faults()) {
    EXPECT_EQ(fault.exact_gate.empty() || fault.normal_gate.empty(), !fault.why_blind.empty())
        << fault.name;
    EXPECT_FALSE(fault.exact_gate.empty() && fault.normal_gate.empty()) << fault.name;
  }
}

TEST(Selfcheck, TheRightVerdictByTheWrongGateIsNotGood) {
  Row row;
  row.expected = true;
  row.gate = "precision";  // red, but not as it must be
  EXPECT_FALSE(row.good());
  row.caught = true;
  EXPECT_TRUE(row.good());
  row.control = true;
  EXPECT_FALSE(row.good());
}

}  // namespace
}  // namespace wm::selfcheck
