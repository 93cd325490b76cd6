"""Why names of MindSpore are not here, where it is not that nobody wrote them yet.

The page of MindSpore's names and the errors of programs that miss a name tell the reasons.
"""

from __future__ import annotations

from typing import Final

__all__ = ["REASONS", "reason_for"]

#: Names, without their modules, by reason.
REASONS: Final[dict[str, str]] = {
    "it is of Ascend devices and their compilers": """
        DeviceCtx FlopsUtilizationCollector GetNextSingleOp TrainFaultTolerance flops_collection mindio_preload
        set_mindio_server_info BNTrainingReduce DynamicGRUV2 HCCL_WORLD_COMM_GROUP
        DynamicRNN BasicLSTMCell hifloat8 AdamNoUpdateParam StreamLimitCtx set_stream_limit get_stream_limit
        reset_stream_limit sdc_detect_start sdc_detect_stop get_sdc_detect_result stress_detect npu_gelu
        FusedWeightScaleApplyMomentum SubAndFilter MapUniform TransShape GeSwitch Merge FusedAdamW""",
    "it spreads a training over machines, which is not here yet": """
        build_searched_strategy export_split_mindir get_ckpt_path_with_strategy
        load_distributed_checkpoint merge_sliced_parameter restore_group_info_list
        AdaSumByDeltaWeightWrapCell AdaSumByGradWrapCell MicroBatchInterleaved
        PipelineCell Pull Push
        get_comm_name reshard sync_pipeline_shared_parameters merge_pipeline_strategys
        parameter_broadcast load_segmented_checkpoints unified_safetensors rank_list_for_transform
        rank_list_for_convert transform_checkpoints transform_checkpoint_by_rank convert_checkpoints
        convert_checkpoint_by_rank set_op_strategy_config""",
    "it is about numbers of less than 16 bits, for which numpy has no type": """
        QuantDtype float8_e4m3fn float8_e5m2 qint4x2""",
    "it computes with sparse tensors, which are names alone here": """
        SparseTensor coo_tensor_get_dense_shape SparseSlice SparseTensorDenseMatmul""",
    "it makes complex numbers, for which few operators here are": """
        angle conj fft fftn imag polar real stft view_as_real Angle Complex ComplexAbs Conj Eig FFTWithSize Imag Polar
        Real STFT""",
    "it differentiates forward; `ms.grad` differentiates backward": """
        linearize""",
    "it is a part of MindSpore's own runtime, not for networks": """
        GetNext HookBackward InsertGradientOf UpdateState PartialAssign TupleToArray ScalarToArray scalar_to_array
        Custom DatasetCache OBSMindDataset UntypedStorage MemPool PluggableAllocator use_mem_pool memory_replay
        MsDispatchMode Stream StreamCtx Event current_stream default_stream set_cur_stream communication_stream
        set_kernel_launch_capture set_kernel_launch_group dispatch_threads_num""",
}

#: Modules below `mindspore` by the reason why no program needs them here.
_MODULES: Final[dict[str, str]] = {
    "_c_expression": "it is MindSpore's own core in C++",
    "_akg": "it is MindSpore's own compiler of kernels",
    "lite": "it is MindSpore Lite, a product of its own",
    "ops._grad_experimental": "it is how MindSpore itself differentiates",
    "ops._op_impl": "it is how MindSpore describes its kernels",
    "ops.operations._grad_ops": "it is how MindSpore itself differentiates",
    "ops.operations._inner_ops": "it is inside of MindSpore, not for programs",
    "ops.operations._quant_ops": "it is about numbers of less than 16 bits",
    "profiler.parser": "it reads files of MindSpore's own profiler",
    "rewrite": "it rewrites networks as MindSpore's own trees",
}
_BY_NAME: Final = {name: reason for reason, names in REASONS.items() for name in names.split()}


def reason_for(path: str) -> str:
    """Why a name is not here.

    Args:
        path: the name with its modules, such as `mindspore.nn.thor`.

    """
    inner = path.partition(".")[2]
    for module, reason in _MODULES.items():
        if inner == module or inner.startswith(module + "."):
            return reason
    known = _BY_NAME.get(path.rpartition(".")[2])
    return known or "MindSpore 2.10 has no such name, or nobody has written it for this core yet"
