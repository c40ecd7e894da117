module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh"}> : () -> ()
  func.func public @main(%arg0: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %0:6 = "sdy.manual_computation"(%arg0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>, manual_axes = #sdy<manual_axes{"x"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{}, {}, {}]>, <@mesh, [{}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {}]>]>}> ({
    ^bb0(%arg1: tensor<2x2xf32>):
      %1 = "stablehlo.partition_id"() : () -> tensor<ui32>
      %2 = "stablehlo.convert"(%1) : (tensor<ui32>) -> tensor<i32>
      %3 = "stablehlo.async_start"(%arg1) ({
      ^bb0(%arg2: tensor<2x2xf32>):
        %4 = "stablehlo.all_reduce"(%arg2) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
        ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
          %5 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%5) : (tensor<f32>) -> ()
        }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
        "stablehlo.return"(%4) : (tensor<2x2xf32>) -> ()
      }) : (tensor<2x2xf32>) -> !stablehlo.future<tensor<2x2xf32>>
      %6 = "stablehlo.reshape"(%arg1) : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
      %7 = "stablehlo.async_start"(%6) ({
      ^bb0(%arg5: tensor<1x2x2xf32>):
        %8 = "stablehlo.all_gather"(%arg5) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids, all_gather_dim = 0 : i64}> : (tensor<1x2x2xf32>) -> tensor<2x2x2xf32>
        "stablehlo.return"(%8) : (tensor<2x2x2xf32>) -> ()
      }) : (tensor<1x2x2xf32>) -> !stablehlo.future<tensor<2x2x2xf32>>
      %9 = "stablehlo.async_start"(%arg1) ({
      ^bb0(%arg6: tensor<2x2xf32>):
        %10 = "stablehlo.reduce_scatter"(%arg6) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids, scatter_dimension = 0 : i64}> ({
        ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
          %11 = "stablehlo.add"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%11) : (tensor<f32>) -> ()
        }) : (tensor<2x2xf32>) -> tensor<1x2xf32>
        "stablehlo.return"(%10) : (tensor<1x2xf32>) -> ()
      }) : (tensor<2x2xf32>) -> !stablehlo.future<tensor<1x2xf32>>
      %12 = "stablehlo.reshape"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
      %13 = "stablehlo.async_start"(%12) ({
      ^bb0(%arg9: tensor<2x2x1xf32>):
        %14 = "stablehlo.all_to_all"(%arg9) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, split_dimension = 0 : i64, concat_dimension = 2 : i64, split_count = 2 : i64}> : (tensor<2x2x1xf32>) -> tensor<1x2x2xf32>
        "stablehlo.return"(%14) : (tensor<1x2x2xf32>) -> ()
      }) : (tensor<2x2x1xf32>) -> !stablehlo.future<tensor<1x2x2xf32>>
      %15 = "stablehlo.async_start"(%arg1) ({
      ^bb0(%arg10: tensor<2x2xf32>):
        %16 = "stablehlo.collective_permute"(%arg10) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
        "stablehlo.return"(%16) : (tensor<2x2xf32>) -> ()
      }) : (tensor<2x2xf32>) -> !stablehlo.future<tensor<2x2xf32>>
      %17 = "stablehlo.bitcast_convert"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xi32>
      %18 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %19 = "stablehlo.compare"(%2, %18) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %20 = "stablehlo.constant"() <{value = dense<0> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
      %21 = "stablehlo.select"(%19, %17, %20) : (tensor<i1>, tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
      %22 = "stablehlo.async_start"(%21) ({
      ^bb0(%arg11: tensor<2x2xi32>):
        %23 = "stablehlo.all_reduce"(%arg11) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, use_global_device_ids}> ({
        ^bb0(%arg12: tensor<i32>, %arg13: tensor<i32>):
          %24 = "stablehlo.add"(%arg12, %arg13) : (tensor<i32>, tensor<i32>) -> tensor<i32>
          "stablehlo.return"(%24) : (tensor<i32>) -> ()
        }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
        "stablehlo.return"(%23) : (tensor<2x2xi32>) -> ()
      }) : (tensor<2x2xi32>) -> !stablehlo.future<tensor<2x2xi32>>
      %25 = "stablehlo.async_done"(%3) : (!stablehlo.future<tensor<2x2xf32>>) -> tensor<2x2xf32>
      %26 = "stablehlo.async_done"(%7) : (!stablehlo.future<tensor<2x2x2xf32>>) -> tensor<2x2x2xf32>
      %27 = "stablehlo.async_done"(%9) : (!stablehlo.future<tensor<1x2xf32>>) -> tensor<1x2xf32>
      %28 = "stablehlo.reshape"(%27) : (tensor<1x2xf32>) -> tensor<2xf32>
      %29 = "stablehlo.async_done"(%13) : (!stablehlo.future<tensor<1x2x2xf32>>) -> tensor<1x2x2xf32>
      %30 = "stablehlo.reshape"(%29) : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
      %31 = "stablehlo.async_done"(%15) : (!stablehlo.future<tensor<2x2xf32>>) -> tensor<2x2xf32>
      %32 = "stablehlo.async_done"(%22) : (!stablehlo.future<tensor<2x2xi32>>) -> tensor<2x2xi32>
      %33 = "stablehlo.bitcast_convert"(%32) : (tensor<2x2xi32>) -> tensor<2x2xf32>
      "sdy.return"(%25, %26, %28, %30, %31, %33) : (tensor<2x2xf32>, tensor<2x2x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> ()
    }) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
    "func.return"(%0#0, %0#1, %0#2, %0#3, %0#4, %0#5) : (tensor<2x2xf32>, tensor<2x2x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  }
}
