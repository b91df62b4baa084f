#include <gtest/gtest.h>

#include "import/import_util.hpp"

namespace wm::importing {
namespace {

std::string tensor(const std::string& name, const std::string& dims, const std::string& strides,
                   const std::string& type = "CUDNN_DATA_FLOAT (0)") {
  return "i!     " + name + ": type=cudnnTensorDescriptor_t:\n" +
         "i!         dataType: type=cudnnDataType_t; val=" + type + ";\n" +
         "i!         nbDims: type=int; val=4;\n" + "i!         dimA: type=int; val=[" + dims +
         "];\n" + "i!         strideA: type=int; val=[" + strides + "];\n";
}

std::string filter(const std::string& name, const std::string& dims,
                   const std::string& format = "CUDNN_TENSOR_NCHW (0)",
                   const std::string& type = "CUDNN_DATA_FLOAT (0)") {
  return "i!     " + name + ": type=cudnnFilterDescriptor_t:\n" +
         "i!         dataType: type=cudnnDataType_t; val=" + type + ";\n" +
         "i!         vect: type=int; val=0;\ni!         nbDims: type=int; val=4;\n" +
         "i!         dimA: type=int; val=[" + dims + "];\n" +
         "i!         format: type=cudnnTensorFormat_t; val=" + format + ";\n";
}

std::string window(const std::string& pad, const std::string& stride, const std::string& dilation,
                   const std::string& groups = "1",
                   const std::string& mode = "CUDNN_CROSS_CORRELATION (1)") {
  return "i!     convDesc: type=cudnnConvolutionDescriptor_t:\n"
         "i!         mode: type=cudnnConvolutionMode_t; val=" +
         mode + ";\n" + "i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);\n" +
         "i!         mathType: type=cudnnMathType_t; val=CUDNN_TENSOR_OP_MATH (1);\n" +
         "i!         arrayLength: type=int; val=2;\n" + "i!         padA: type=int; val=[" + pad +
         "];\n" + "i!         strideA: type=int; val=[" + stride + "];\n" +
         "i!         dilationA: type=int; val=[" + dilation + "];\n" +
         "i!         groupCount: type=int; val=" + groups + ";\n";
}

std::string call(const std::string& function) {
  return "I! CuDNN (v8005) function " + function + "() called:\n" +
         "i!     handle: type=cudnnHandle_t; streamId=(nil) (defaultStream);\n" +
         "i!     alpha: type=CUDNN_DATA_FLOAT; val=1.000000;\n";
}

const std::string kTail =
    "i!     algo: type=cudnnConvolutionFwdAlgo_t; val=CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM "
    "(0);\n"
    "i!     beta: type=CUDNN_DATA_FLOAT; val=0.000000;\n"
    "i! Time: 2021-02-10T09:22:25.659723 (0d+0h+0m+22s since start)\n\n";

const std::string kForward =
    call("cudnnConvolutionForward") + tensor("xDesc", "2,8,9,10", "720,90,10,1") +
    "i!     xData: location=dev; addr=0x7f1f48d80000;\n" + filter("wDesc", "6,4,3,3") +
    window("1,0", "2,1", "1,2", "2") + kTail + tensor("yDesc", "2,6,5,6", "180,30,6,1");

TEST(CudnnLog, Forward) {
  const Imported imported = read_text("cudnn-log", kForward);
  EXPECT_EQ(reasons(imported.unread), Lines{});
  EXPECT_EQ(shown(imported),
            Lines{"conv_fwd c=8 dil=1x2 dtype=f32 groups=2 h=9 k=6 layout=nchw n=2 pad=1x0 r=3 s=3 "
                  "stride=2x1 w=10"});
}

TEST(CudnnLog, RepeatedCallsCount) {
  const Imported imported = read_text("cudnn-log", kForward + kForward + kForward);
  ASSERT_EQ(imported.cases.size(), 1u);
  EXPECT_EQ(imported.cases[0].count, 3);
}

TEST(CudnnLog, OtherLoggersPrefixesAndCudnn9) {
  std::string text = "| Debug: CuDNN (v92400 43) function cudnnConvolutionForward() called:\n";
  for (std::size_t at = kForward.find('\n') + 1; at < kForward.size();) {
    const std::size_t end = kForward.find('\n', at);
    const std::string line = kForward.substr(at, end - at);
    const std::size_t first = line.find_first_not_of("i! ");
    text += "| " + (first == std::string::npos ? "" : line.substr(first)) + "\n";
    at = end + 1;
  }
  EXPECT_EQ(shown(read_text("cudnn-log", text)), shown(read_text("cudnn-log", kForward)));
}

TEST(CudnnLog, BackwardDataChannelsLast) {
  const std::string half = "CUDNN_DATA_HALF (2)";
  const std::string text = call("cudnnConvolutionBackwardData") +
                           filter("wDesc", "128,256,1,1", "CUDNN_TENSOR_NHWC (1)", half) +
                           tensor("dyDesc", "4,128,5,6", "3840,1,768,128", half) +
                           window("0,0", "1,1", "1,1") +
                           tensor("dxDesc", "4,256,5,6", "7680,1,1536,256", half);
  const Imported imported = read_text("cudnn-log", text);
  EXPECT_EQ(reasons(imported.unread), Lines{});
  EXPECT_EQ(shown(imported),
            Lines{"conv_bwd_data c=256 dtype=f16 h=5 k=128 layout=nhwc n=4 r=1 s=1 w=6"});
}

TEST(CudnnLog, BackwardFilterFlippedAndStrided) {
  const std::string text =
      call("cudnnConvolutionBackwardFilter") + tensor("xDesc", "1,2,4,4", "64,32,8,1") +
      tensor("dyDesc", "1,3,2,2", "12,4,2,1") +
      window("0,0", "1,1", "1,1", "1", "CUDNN_CONVOLUTION (0)") + filter("dwDesc", "3,2,3,3");
  EXPECT_EQ(shown(read_text("cudnn-log", text)),
            Lines{"conv_bwd_filter c=2 dtype=f32 h=4 k=3 layout=nchw mode=convolution n=1 r=3 s=3 "
                  "w=4 x.strides=64,32,8,1"});
}

TEST(CudnnLog, FusedConvolution) {
  std::string text = kForward;
  text.replace(text.find("cudnnConvolutionForward"), 23, "cudnnConvolutionBiasActivationForward");
  text.replace(text.find("alpha:"), 6, "alpha1:");
  text +=
      "i!     alpha2: type=CUDNN_DATA_FLOAT; val=0.500000;\n"
      "i!     activationDesc: type=cudnnActivationDescriptor_t:\n"
      "i!         coef: type=double; val=0.000000;\n"
      "i!         mode: type=cudnnActivationMode_t; val=CUDNN_ACTIVATION_RELU (1);\n";
  const Imported imported = read_text("cudnn-log", text);
  ASSERT_EQ(imported.cases.size(), 1u) << reasons(imported.unread).at(0);
  const std::string shown_case = shown(imported.cases[0]);
  EXPECT_NE(shown_case.find("act=relu"), std::string::npos) << shown_case;
  EXPECT_NE(shown_case.find("bias=1"), std::string::npos) << shown_case;
  EXPECT_NE(shown_case.find("residual=0.5"), std::string::npos) << shown_case;
}

TEST(CudnnLog, SoftmaxAndActivation) {
  const std::string softmax =
      "I! CuDNN (v8005) function cudnnSoftmaxForward() called:\n"
      "i!     algo: type=cudnnSoftmaxAlgorithm_t; val=CUDNN_SOFTMAX_LOG (2);\n"
      "i!     mode: type=cudnnSoftmaxMode_t; val=CUDNN_SOFTMAX_MODE_INSTANCE (0);\n" +
      tensor("xDesc", "2,10,1,1", "10,1,1,1");
  EXPECT_EQ(shown(read_text("cudnn-log", softmax)),
            Lines{"softmax_fwd c=10 dtype=f32 kind=log layout=nchw mode=instance n=2"});
  const std::string activation =
      call("cudnnActivationBackward") +
      "i!     activationDesc: type=cudnnActivationDescriptor_t:\n"
      "i!         mode: type=cudnnActivationMode_t; val=CUDNN_ACTIVATION_TANH (2);\n" +
      tensor("xDesc", "2,10,3,1", "30,3,1,1");
  EXPECT_EQ(shown(read_text("cudnn-log", activation)),
            Lines{"activation_bwd alpha=0 beta=0 c=10 dtype=f32 fn=tanh h=3 layout=nchw n=2"});
}

TEST(CudnnLog, WhatIsNotReadIsListed) {
  std::string wrong_output = kForward;
  wrong_output.replace(wrong_output.find("2,6,5,6"), 7, "2,6,5,7");
  const Imported imported =
      read_text("cudnn-log", call("cudnnCreate") + call("cudnnPoolingForward") +
                                 call("cudnnConvolutionForward") + call("cudnnBackendExecute") +
                                 call("cudnnGetConvolutionNdForwardOutputDim") + wrong_output);
  EXPECT_TRUE(imported.cases.empty());
  const Lines why = reasons(imported.unread);
  ASSERT_EQ(why.size(), 4u);
  EXPECT_EQ(why[0], "4: op cudnnPoolingForward not in this library");
  EXPECT_EQ(why[1], "7: the log has no xDesc.dimA of this call");
  EXPECT_EQ(why[2], "10: a call of the graph API does not name its shapes in the log");
  EXPECT_NE(why[3].find("the output size 7 does not follow"), std::string::npos) << why[3];
}

}  // namespace
}  // namespace wm::importing
