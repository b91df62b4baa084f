#include <gtest/gtest.h>

#include <stdexcept>

#include "core/error.hpp"
#include "registry/register.hpp"

namespace wm {
namespace {

Variant minimal(const char* algorithm = "naive") {
  Variant variant;
  variant.id = variant_id<float>("matmul", algorithm);
  variant.claims = [](const Problem&, const Config&) { return Claims{}; };
  variant.launch = [](const Problem&, const Config&, const LaunchArgs&) {};
  return variant;
}

Problem matmul(const char* dtype) {
  return find_op("matmul")->resolve({{"m", "2"}, {"n", "3"}, {"k", "4"}, {"dtype", dtype}});
}

TEST(Config, RoundTripsAndNamesWhatIsWrong) {
  Config config;
  config.set("tile", "64x64x8").set("splits", 4);
  EXPECT_EQ(config.to_string(), "tile=64x64x8,splits=4");
  EXPECT_EQ(Config::parse(config.to_string()), config);
  EXPECT_EQ(config.integer("splits"), 4);
  EXPECT_THROW(config.integer("tile"), UsageError);
  EXPECT_THROW(config.text("stages"), UsageError);
  for (const char* bad : {"tile", "=3", "tile=", "tile=1,tile=2", "tile=1,,b=2"})
    EXPECT_THROW(Config::parse(bad), UsageError) << bad;
  EXPECT_THROW(check_config_item(config, "tile", {"32x32x8"}), UsageError);
  EXPECT_NO_THROW(check_config_item(config, "tile", {"32x32x8", "64x64x8"}));
  EXPECT_THROW(check_config_items(config, {"tile"}), UsageError);
  EXPECT_THROW(check_config_items(config, {"tile", "splits", "ctas"}), UsageError);
}

TEST(VariantId, LeavesDefaultsOut) {
  VariantId id = variant_id<f16>("conv_fwd", "implicit_gemm", Layout::nhwc);
  id.has_weights = true;
  EXPECT_EQ(id.to_string(), "conv_fwd/implicit_gemm/f16.f16.f16/nhwc");
  id.acc = DType::f16;
  id.math = "tf32";
  id.provider = "cudnn";
  EXPECT_EQ(id.to_string(), "cudnn:conv_fwd/implicit_gemm/f16.f16.f16+acc=f16+math=tf32/nhwc");
  VariantId two = variant_id<double>("softmax_fwd", "online", Layout::nchw);
  EXPECT_EQ(two.to_string(), "softmax_fwd/online/f64.f64/nchw");
}

TEST(Catalog, RefusesDuplicatesAndIncompleteVariants) {
  Catalog catalog;
  catalog.add(minimal());
  EXPECT_THROW(catalog.add(minimal()), std::logic_error);
  Variant unknown = minimal("other");
  unknown.id.op = "matmull";
  EXPECT_THROW(catalog.add(unknown), std::logic_error);
  Variant incomplete = minimal("third");
  incomplete.launch = nullptr;
  EXPECT_THROW(catalog.add(incomplete), std::logic_error);
  Variant layout = minimal("fourth");
  layout.id.layout = Layout::nchw;
  EXPECT_THROW(catalog.add(layout), std::logic_error);
  EXPECT_EQ(catalog.variants().size(), 1u);
}

TEST(Catalog, MatchesByTypes) {
  Catalog catalog;
  catalog.add(minimal());
  EXPECT_EQ(catalog.matching(matmul("f32")).size(), 1u);
  EXPECT_TRUE(catalog.matching(matmul("f16")).empty());
  EXPECT_NE(catalog.find(matmul("f32"), "naive"), nullptr);
  EXPECT_EQ(catalog.find(matmul("f32"), "tiled"), nullptr);
  EXPECT_EQ(catalog.find(matmul("f32"), "naive", "cublas"), nullptr);
}

TEST(Catalog, FillsDefaults) {
  Catalog catalog;
  catalog.add(minimal());
  const Variant& variant = catalog.variants().front();
  const Problem problem = matmul("f32");
  EXPECT_TRUE(variant.supports(problem, DeviceProps{}).ok());
  EXPECT_EQ(variant.configure(problem, DeviceProps{}).to_string(), "");
  EXPECT_EQ(variant.workspace_bytes(problem, Config{}), 0u);
  EXPECT_THROW(variant.check_config(problem, Config::parse("tile=1x1")), UsageError);
}

}  // namespace
}  // namespace wm
