//! The commands, one file each.

pub mod annotate;
pub mod book;
pub mod compact;
pub mod contest;
pub mod engine;
pub mod experiment;
pub mod experiment_cluster;
pub mod experiment_noise;
pub mod experiment_recogniser;
pub mod experiment_reference;
pub mod games;
pub mod moves;
pub mod plan;
pub mod plan_together;
pub mod play;
pub mod probe;
pub mod prove;
pub mod sample;
pub mod serve;
pub mod solve;
pub mod stats;
pub mod token;
pub mod tune;
pub mod verify;
pub mod verify_proof;
pub mod worker;
