// Texts as options compare them, which form groups of texts that differ in case alone.

public import ORMValues

extension Operand.Function {
  /// The foldings by the bits of their options, from 1.
  private static let foldings: [Operand.Function] = [
    .foldC, .foldD, .foldCD, .foldN, .foldCN, .foldDN, .foldCDN,
  ]

  /// The folding of texts under options; nil without any.
  public init?(folding options: TextOptions) {
    let bits = Int(options.rawValue & 7)
    guard bits > 0 else { return nil }
    self = Self.foldings[bits - 1]
  }

  /// The options under which the function folds texts; nil for a function of another sort.
  public var folding: TextOptions? {
    Self.foldings.firstIndex(of: self).map { TextOptions(rawValue: UInt8($0 + 1)) }
  }
}

extension Operand {
  /// The text as options compare it (`TextFolding.fold(_:_:)`); the operand itself without any.
  ///
  /// Texts that are equal under the options are one text then. As a key of groups it makes one group
  /// of them. Further uses of the operand then mean the least of the group's spellings (clause 2.3).
  public func folded(_ options: TextOptions) -> Operand {
    Function(folding: options).map { .function($0, self) } ?? self
  }

  /// The operand that a grouping key folds; nil if the key folds nothing.
  package var spelling: Operand? {
    guard case .function(let function, let text) = self, function.folding != nil else { return nil }
    return text
  }
}
