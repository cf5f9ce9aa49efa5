//! Heuristic evaluation: material, mobility left to the search.

use nutcracker_game::{Evaluate, Step};

use super::Chess;
use super::board::{ChessPosition, Role};
use super::moves::ChessMove;

/// In points of score, where a win is one point: the usual values of men, so that a queen is a
/// little less than half a win.
const VALUES: [f32; 5] = [0.45, 0.25, 0.165, 0.16, 0.05];

/// What each feature is called.
const FEATURES: [&str; 5] = [
    "queens: own minus other",
    "rooks: own minus other",
    "bishops: own minus other",
    "knights: own minus other",
    "pawns: own minus other",
];

/// What a man is worth for the order of moves.
fn worth(role: Role) -> i32 {
    match role {
        Role::King => 0,
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
    }
}

impl Evaluate for Chess {
    fn feature_names(&self) -> &'static [&'static str] {
        &FEATURES
    }

    fn features(&self, position: &ChessPosition, out: &mut [f32]) {
        for (role, feature) in Role::MEN.into_iter().zip(out) {
            let [own, other] = [position.own(), position.other()]
                .map(|men| (position.of(role) & men).count_ones() as f32);
            *feature = own - other;
        }
    }

    fn fitted(&self) -> &[f32] {
        &VALUES
    }

    /// Captures first, of the strongest men by the weakest; then promotions.
    fn promise(&self, position: &ChessPosition, mv: &ChessMove, _: &Step<ChessPosition>) -> i32 {
        let role_at = |square| position.man(square).map(|man| man.0);
        let taken = role_at(mv.to)
            .map_or(0, |taken| 10 * worth(taken) + 9 - role_at(mv.from).map_or(0, worth));
        taken + mv.promotion.map_or(0, |role| 10 * worth(role))
    }

    /// A check has few answers, and one of them may lose everything.
    fn is_unquiet(&self, position: &ChessPosition) -> bool {
        position.is_check()
    }
}
