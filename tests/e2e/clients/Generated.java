package javax.annotation;

/** The client has it on every class. The JDK has it no more, and the libraries of the generator lack it. */
public @interface Generated {
    String[] value();

    String date() default "";

    String comments() default "";
}
