module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh"}> : () -> ()
  func.func public @main(%arg0: tensor<3x2xf32>, %arg1: tensor<5x2xf32>, %arg2: tensor<4xi32>, %arg3: tensor<4xi32>, %arg4: tensor<4xi32>, %arg5: tensor<4xi32>) -> (tensor<5x2xf32>) {
    %0 = "sdy.manual_computation"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}]>]>, manual_axes = #sdy<manual_axes{"x"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}> ({
    ^bb0(%arg6: tensor<3x2xf32>, %arg7: tensor<5x2xf32>, %arg8: tensor<4xi32>, %arg9: tensor<4xi32>, %arg10: tensor<4xi32>, %arg11: tensor<4xi32>):
      %1 = "stablehlo.broadcast_in_dim"(%arg8) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xi32>) -> tensor<1x4xi32>
      %2 = "stablehlo.broadcast_in_dim"(%arg9) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xi32>) -> tensor<1x4xi32>
      %3 = "stablehlo.broadcast_in_dim"(%arg10) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xi32>) -> tensor<1x4xi32>
      %4 = "stablehlo.broadcast_in_dim"(%arg11) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xi32>) -> tensor<1x4xi32>
      %5 = "stablehlo.broadcast_in_dim"(%arg6) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<3x2xf32>) -> tensor<1x3x2xf32>
      %6 = "stablehlo.broadcast_in_dim"(%arg7) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<5x2xf32>) -> tensor<1x5x2xf32>
      %7 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xi32>) -> tensor<1x4x1xi32>
      %8 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xi32>) -> tensor<1x4x1xi32>
      %9 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xi32>) -> tensor<1x4x1xi32>
      %10 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xi32>) -> tensor<1x4x1xi32>
      %11 = "stablehlo.concatenate"(%7, %8, %9, %10) <{dimension = 2 : i64}> : (tensor<1x4x1xi32>, tensor<1x4x1xi32>, tensor<1x4x1xi32>, tensor<1x4x1xi32>) -> tensor<1x4x4xi32>
      %12 = "stablehlo.reshape"(%5) : (tensor<1x3x2xf32>) -> tensor<3x2xf32>
      %13 = "stablehlo.reshape"(%6) : (tensor<1x5x2xf32>) -> tensor<5x2xf32>
      %14 = "stablehlo.slice"(%11) <{start_indices = array<i64: 0, 0, 0>, limit_indices = array<i64: 1, 4, 1>, strides = array<i64: 1, 1, 1>}> : (tensor<1x4x4xi32>) -> tensor<1x4x1xi32>
      %15 = "stablehlo.reshape"(%14) : (tensor<1x4x1xi32>) -> tensor<1x4xi32>
      %16 = "stablehlo.reshape"(%15) : (tensor<1x4xi32>) -> tensor<4xi32>
      %17 = "stablehlo.slice"(%11) <{start_indices = array<i64: 0, 0, 1>, limit_indices = array<i64: 1, 4, 2>, strides = array<i64: 1, 1, 1>}> : (tensor<1x4x4xi32>) -> tensor<1x4x1xi32>
      %18 = "stablehlo.reshape"(%17) : (tensor<1x4x1xi32>) -> tensor<1x4xi32>
      %19 = "stablehlo.reshape"(%18) : (tensor<1x4xi32>) -> tensor<4xi32>
      %20 = "stablehlo.slice"(%11) <{start_indices = array<i64: 0, 0, 2>, limit_indices = array<i64: 1, 4, 3>, strides = array<i64: 1, 1, 1>}> : (tensor<1x4x4xi32>) -> tensor<1x4x1xi32>
      %21 = "stablehlo.reshape"(%20) : (tensor<1x4x1xi32>) -> tensor<1x4xi32>
      %22 = "stablehlo.reshape"(%21) : (tensor<1x4xi32>) -> tensor<4xi32>
      %23 = "stablehlo.slice"(%11) <{start_indices = array<i64: 0, 0, 3>, limit_indices = array<i64: 1, 4, 4>, strides = array<i64: 1, 1, 1>}> : (tensor<1x4x4xi32>) -> tensor<1x4x1xi32>
      %24 = "stablehlo.reshape"(%23) : (tensor<1x4x1xi32>) -> tensor<1x4xi32>
      %25 = "stablehlo.reshape"(%24) : (tensor<1x4xi32>) -> tensor<4xi32>
      %26 = "stablehlo.custom_call"(%12, %13, %16, %19, %22, %25) <{api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}, call_target_name = "ragged_all_to_all"}> : (tensor<3x2xf32>, tensor<5x2xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<5x2xf32>
      %27 = "stablehlo.reshape"(%26) : (tensor<5x2xf32>) -> tensor<1x5x2xf32>
      %28 = "stablehlo.reshape"(%27) : (tensor<1x5x2xf32>) -> tensor<5x2xf32>
      "sdy.return"(%28) : (tensor<5x2xf32>) -> ()
    }) : (tensor<3x2xf32>, tensor<5x2xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<5x2xf32>
    "func.return"(%0) : (tensor<5x2xf32>) -> ()
  }
}
