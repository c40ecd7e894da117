module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh"}> : () -> ()
  func.func public @main(%arg0: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %0:2 = "sdy.manual_computation"(%arg0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>, manual_axes = #sdy<manual_axes{"x"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>]>}> ({
    ^bb0(%arg1: tensor<2x2xf32>):
      %1 = "stablehlo.create_token"() : () -> !stablehlo.token
      %2 = "stablehlo.send"(%arg1, %1) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (tensor<2x2xf32>, !stablehlo.token) -> !stablehlo.token
      %3 = "stablehlo.multiply"(%arg1, %arg1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      %4:2 = "stablehlo.recv"(%2) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (!stablehlo.token) -> (tensor<2x2xf32>, !stablehlo.token)
      "sdy.return"(%4#0, %3) : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
    }) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
    "func.return"(%0#0, %0#1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  }
}
