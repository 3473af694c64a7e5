internal import ORMValues

/// A value for a variable of a format.
package enum FormatVariable: Sendable {
  case value(StoredValue)
  /// A text that is read in the type of its other side.
  case text(String)
}

/// The arguments of a format, in the order they are taken.
struct FormatArguments {
  private let arguments: [(any FormatArgument)?]
  private var next = 0
  private var used: Set<Int> = []

  init(_ arguments: [(any FormatArgument)?]) { self.arguments = arguments }

  /// Takes the argument at a position, or the next one; throws a description of the missing one.
  mutating func take(_ position: Int?) throws(Missing) -> FormatSubstitute.Content {
    let index = position.map { $0 - 1 } ?? next
    if position == nil { next += 1 }
    guard arguments.indices.contains(index) else {
      throw Missing(
        message: "this is argument \(index + 1), and \(Self.count(arguments.count)) given")
    }
    used.insert(index)
    guard let argument = arguments[index] else { return .value(.null) }
    do {
      return try argument.formatSubstitute().content
    } catch {
      throw Missing(message: "argument \(index + 1) cannot be used: \(error)")
    }
  }

  struct Missing: Error {
    let message: String
  }

  /// The error message for arguments left over; nil if the format took all of them.
  var unusedMessage: String? {
    guard used.count < arguments.count else { return nil }
    return "\(Self.count(arguments.count)) given, and the format takes \(used.count)"
  }

  private static func count(_ count: Int) -> String {
    count == 1 ? "1 argument is" : "\(count) arguments are"
  }
}
