internal import ORMStorage

/// Types without values, whose only use is that `&&` and `||` have overloads for them.
///
/// The compiler tries the overloads of that function first which has the fewest. `Query.where` has
/// eight that take one argument; as long as `&&` and `||` have more, `where` is settled first, and an
/// expression of key-path operators is checked knowing that it is a ``Filter``: ten terms in 80 ms.
/// Otherwise they take 3.3 s. These overloads are of types that nothing has, so they cost nothing
/// else. Whoever adds an overload to `where` adds one here, and measures.
public enum OperatorRoom {
  /// Has no value.
  public enum First {}
  /// Has no value.
  public enum Second {}
  /// Has no value.
  public enum Third {}
  /// Has no value.
  public enum Fourth {}
}

/// Cannot be called; see ``OperatorRoom``.
public func && (left: OperatorRoom.First, right: OperatorRoom.First) -> OperatorRoom.First {}
/// Cannot be called; see ``OperatorRoom``.
public func && (left: OperatorRoom.Second, right: OperatorRoom.Second) -> OperatorRoom.Second {}
/// Cannot be called; see ``OperatorRoom``.
public func && (left: OperatorRoom.Third, right: OperatorRoom.Third) -> OperatorRoom.Third {}
/// Cannot be called; see ``OperatorRoom``.
public func && (left: OperatorRoom.Fourth, right: OperatorRoom.Fourth) -> OperatorRoom.Fourth {}

/// Cannot be called; see ``OperatorRoom``.
public func || (left: OperatorRoom.First, right: OperatorRoom.First) -> OperatorRoom.First {}
/// Cannot be called; see ``OperatorRoom``.
public func || (left: OperatorRoom.Second, right: OperatorRoom.Second) -> OperatorRoom.Second {}
/// Cannot be called; see ``OperatorRoom``.
public func || (left: OperatorRoom.Third, right: OperatorRoom.Third) -> OperatorRoom.Third {}
/// Cannot be called; see ``OperatorRoom``.
public func || (left: OperatorRoom.Fourth, right: OperatorRoom.Fourth) -> OperatorRoom.Fourth {}
