public import ORMCore

extension StoreError.Code {
  /// An object of a session was used that is deleted.
  public static let deletedObject = Self(rawValue: "deletedObject")
  /// A handle was used whose session has ended, was reset, or is another.
  public static let sessionEnded = Self(rawValue: "sessionEnded")
}
