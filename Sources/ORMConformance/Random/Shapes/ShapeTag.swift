/// A number as a type, which tells the models of one random shape from those of another.
///
/// Models are static types, and each has one entity. A model that is generic over a number has as
/// many entities as there are numbers; which it is, is chosen when the program runs.
protocol ShapeTag: Sendable {
  /// The number.
  static var number: UInt64 { get }
}

enum ShapeOne: ShapeTag {
  static var number: UInt64 { 1 }
}

/// Twice a number.
enum ShapeEven<Half: ShapeTag>: ShapeTag {
  static var number: UInt64 { Half.number * 2 }
}

/// Twice a number, and one.
enum ShapeOdd<Half: ShapeTag>: ShapeTag {
  static var number: UInt64 { Half.number * 2 + 1 }
}

extension GraphShape {
  /// The number of shapes; each has types of its own, which stay in memory.
  static let count: UInt64 = 4096

  /// The type of a number from 1 on.
  static func tag(_ number: UInt64) -> any ShapeTag.Type {
    func doubled<Half: ShapeTag>(_ half: Half.Type) -> any ShapeTag.Type {
      number % 2 == 0 ? ShapeEven<Half>.self : ShapeOdd<Half>.self
    }
    return number <= 1 ? ShapeOne.self : doubled(tag(number / 2))
  }
}
